"""The same bits on any processor, with any number of cores, in any batches, folder and locale.

In another process each, since all of these are settled when a process starts. Without the JIT:
tests/engine/test_compiled.py; by the workflow: tests/test_workflow.py and tests/faults/run.py.
"""

import hashlib
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import rankone
from rankone.engine import games
from rankone.loading import load

ROOT = Path(__file__).parents[1]
INSTANCES = (
    rankone.rank_one([0.75, 0.25, 0.25, 0.25], [0.75, 0.25, 0.25]),
    rankone.rank_one([0.9, 0.85, 0.5], [0.6, 0.58]),
)
POLICIES = ("uts", "ts", "osub", "kl_ucb", "ucb1", "rank1elim", "rank1elim_kl")
FEW = ("uts", "kl_ucb", "rank1elim_kl")  # a family each

# Processors by what compiled code may use: no vectors, wider ones, fused multiplication.
PROCESSORS = {
    "any x86-64": {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "+sse2"},
    "nehalem": {"NUMBA_CPU_NAME": "nehalem", "NUMBA_CPU_FEATURES": "+sse4.2"},
    "haswell": {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma"},
    "znver3": {"NUMBA_CPU_NAME": "znver3", "NUMBA_CPU_FEATURES": "+avx2,+fma"},
    "no vector functions": {"NUMBA_DISABLE_INTEL_SVML": "1"},
    "a C library without fused operations": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"},
    "NumPy without vectors": {"NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512_SKX AVX2 FMA3"},
}
PLACES = {
    "time zone": {"TZ": "Pacific/Chatham"},
    "locale": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    "hash seed": {"PYTHONHASHSEED": "77"},
    "user": {"HOME": "/nonexistent", "USER": "someone", "LOGNAME": "someone"},
}


def digest(policies, runs: int, horizon: int, cores: int = 1, cuts=(), backwards=False) -> str:
    """A digest of all bits of the runs of some policies."""
    found = {}
    edges = [0, *cuts, runs]
    for policy in reversed(policies) if backwards else policies:
        for number, instance in enumerate(INSTANCES):
            parts = [
                rankone.simulate(
                    policy, instance, horizon, last - first, 5, first_run=first, cores=cores
                )
                for first, last in itertools.pairwise(edges)
            ]
            arrays = [array for p in parts for array in (p.regret, p.pulls)]
            found[policy, number] = b"".join(a.tobytes() for a in (*arrays[::2], *arrays[1::2]))
    return hashlib.sha256(b"".join(found[key] for key in sorted(found))).hexdigest()


def elsewhere(folder: Path, environment: dict[str, str], policies, runs: int, horizon: int) -> str:
    """The same from another process, with another environment and working directory."""
    return output(
        folder,
        environment,
        f"import test_bits; print(test_bits.digest({policies!r}, {runs}, {horizon}))",
    )


def output(folder: Path, environment: dict[str, str], code: str, before: Sequence[str] = ()) -> str:
    """What Python code prints, in another process; `before` is put in front of the command."""
    paths = os.pathsep.join(
        [str(ROOT / "tests"), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    )
    env = {**os.environ, "PYTHONPATH": paths, **environment}
    done = subprocess.run(
        [*before, sys.executable, "-W", "ignore", "-c", code],
        cwd=folder,
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["any x86-64", "a C library without fused operations"])
def test_another_processor(name, tmp_path):
    if os.uname().machine != "x86_64":
        pytest.skip("the emulated processors are x86-64")
    assert elsewhere(tmp_path, PROCESSORS[name], FEW, 10, 5000) == digest(FEW, 10, 5000)


@pytest.mark.long
@pytest.mark.parametrize("name", PROCESSORS)
def test_every_policy_on_every_processor(name, tmp_path):
    if os.uname().machine != "x86_64":
        pytest.skip("the emulated processors are x86-64")
    found = elsewhere(tmp_path, PROCESSORS[name], POLICIES, 100, 100_000)
    assert found == digest(POLICIES, 100, 100_000)


def test_another_folder_zone_locale_hash_seed_and_user(tmp_path):
    everything = {key: value for given in PLACES.values() for key, value in given.items()}
    assert elsewhere(tmp_path, everything, FEW, 10, 5000) == digest(FEW, 10, 5000)


# As nobody, who may read what root may (Python may lie in root's home), but write only their own.
AS_NOBODY = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]
AS_NOBODY += ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can play as somebody else")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="there is no setpriv here")
def test_another_user_with_nothing_in_the_cache():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        place = {"HOME": name, "NUMBA_CACHE_DIR": f"{name}/cache"}
        code = "import test_bits; print(test_bits.digest(('uts',), 10, 5000))"
        assert output(folder, place, code, AS_NOBODY) == digest(("uts",), 10, 5000)
        assert {file.owner() for file in (folder / "cache").rglob("*")} == {"nobody"}


@pytest.mark.parametrize("cores", [2, 8])
def test_any_number_of_cores(cores):
    assert digest(FEW, 20, 5000, cores=cores) == digest(FEW, 20, 5000)


@pytest.mark.parametrize("cuts", [(1,), (7, 8), (5, 10, 15)])
def test_any_batches_in_any_order(cuts):
    assert digest(FEW, 20, 5000, cuts=cuts, backwards=True) == digest(FEW, 20, 5000)


def fused_operations(policies: Sequence[str]) -> dict[str, list[str]]:
    """The machine instructions of policies that multiply and add with one rounding."""
    found = {}
    for policy in policies:
        rankone.simulate(policy, INSTANCES[0], 100, 1)
        kernels = load(policy, "fast").kernels
        player = games._player(kernels.decide, kernels.observe)
        code = "".join(made.library.get_asm_str() for made in player.overloads.values())
        assert "mulsd" in code or "fmul" in code
        found[policy] = re.findall(r"\b(?:vfn?m(?:add|sub)|fmla|fmadd)\w*", code)
    return found


def test_compiled_code_has_no_fused_operation(tmp_path):
    """a * b + c with one rounding would be another number than with two."""
    code = f"import test_bits; print(test_bits.fused_operations({FEW!r}))"
    # code from the cache cannot be looked into
    found = output(tmp_path, {"NUMBA_CACHE_DIR": str(tmp_path)}, code)
    assert found == str({policy: [] for policy in FEW})

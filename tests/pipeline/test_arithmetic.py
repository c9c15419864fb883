"""What decides the last bit: seen where it changes, silent where it does not."""

import os
import platform
import subprocess
import sys

import pytest

from rankone.pipeline import arithmetic

SHOW = "import json; from rankone.pipeline import arithmetic; print(json.dumps(arithmetic.here()))"


def elsewhere(**environment: str) -> str:
    """What another process with other settings of its environment says."""
    env = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", SHOW], env=env, capture_output=True, check=True)
    return done.stdout.decode()


def test_it_says_the_same_again_and_for_another_processor_to_compile_for():
    one = elsewhere()
    assert (
        elsewhere(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="", LC_ALL="C", TZ="Asia/Tokyo")
        == one
    )


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or platform.machine() != "x86_64",
    reason="the C library has no variants to choose from",
)
def test_another_variant_of_the_c_library_is_seen():
    """As on a processor without fused multiplication and addition."""
    tunables = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"
    ours, theirs = elsewhere(), elsewhere(GLIBC_TUNABLES=tunables)
    if "fma" not in _flags():
        assert ours == theirs
    else:
        assert ours != theirs


def _flags() -> list[str]:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split() for line in file if line.startswith("flags")), [])


@pytest.mark.parametrize("name", arithmetic.C_LIBRARY)
def test_every_function_counts(name, monkeypatch):
    before = arithmetic.here.__wrapped__()
    function, low, high = arithmetic.C_LIBRARY[name]
    changed = {**arithmetic.C_LIBRARY, name: (lambda x: function(x) * (1 + 2e-16), low, high)}
    monkeypatch.setattr(arithmetic, "C_LIBRARY", changed)
    after = arithmetic.here.__wrapped__()
    assert {key for key in before if before[key] != after[key]} == {"c library"}


def test_what_decides_is_known():
    assert set(arithmetic.PIXELS) == set(arithmetic.here())

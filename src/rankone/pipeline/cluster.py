"""Whether Slurm takes our jobs, asked before any is sent: a refusal is one sentence."""

import shutil
import subprocess
from collections.abc import Mapping

# What Slurm says when there are too many jobs already; the first two where the controller has no
# place for any (MaxJobCount), the others where the user has had their share.
FULL = (
    "Resource temporarily unavailable",
    "temporarily unable to accept job",
    "job submit limit",
    "Too many jobs",
    "MaxSubmitJobs",
)
SECONDS = 60.0  # to wait for an answer


def refusal(asked: Mapping[str, str | None], seconds: float = SECONDS) -> str:
    """Why a job with this account, partition and QOS would not be taken; empty if it would.

    A job is described to `sbatch --test-only`, which sends nothing.
    """
    if shutil.which("sbatch") is None:
        return (
            "sbatch is not found here; allowed: profiles/slurm on a login node of a Slurm cluster, "
            "or snakemake --cores 8 on this machine alone."
        )
    given = {key: value for key, value in asked.items() if value}
    words = [f"--{key}={value}" for key, value in given.items()]
    command = ["sbatch", "--test-only", "--ntasks=1", "--time=2", *words, "--wrap", "true"]
    answered = True
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        if done.returncode == 0:
            return ""
        said = done.stderr
    except subprocess.TimeoutExpired as error:
        answered, said = False, (error.stderr or b"").decode()
    if any(sign in said for sign in FULL):
        return (
            f"Slurm's queue is full{_last(said)}; try again later, or with a smaller number "
            "of `jobs:` in profiles/slurm/config.yaml."
        )
    if not answered:
        return (
            f"Slurm takes no job at present: it did not answer within {seconds:.0f} s"
            f"{_last(said)}; try again later."
        )
    named = ", ".join(f"{key} {value!r}" for key, value in given.items())
    return (
        f"Slurm refuses a job with {named or 'its default account and partition'}"
        f"{_last(said)}; allowed: what `sacctmgr show associations` and `sinfo` list, set "
        "in profiles/slurm/config.yaml."
    )


def _last(text: str) -> str:
    """The last line of what Slurm said, in brackets."""
    lines = text.strip().splitlines()
    return f" ({lines[-1].strip()})" if lines else ""

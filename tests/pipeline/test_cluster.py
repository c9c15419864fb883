"""What a user is told when Slurm takes no job; sbatch here is a script that answers like it."""

from pathlib import Path

import pytest

from rankone.pipeline import cluster

ASKED = {"account": "mine", "partition": None, "qos": "long"}


def sbatch(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "sbatch"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_without_sbatch_it_is_said_where_to_run(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cluster.refusal(ASKED).startswith("sbatch is not found here; allowed: ")


def test_an_accepted_job_is_no_refusal_and_gets_what_was_asked(tmp_path, monkeypatch) -> None:
    sbatch(tmp_path, f'echo "$@" > {tmp_path}/words', monkeypatch)
    assert cluster.refusal(ASKED) == ""
    words = (tmp_path / "words").read_text().split()
    assert "--test-only" in words
    assert {"--account=mine", "--qos=long"} <= {*words}
    assert not any(word.startswith("--partition") for word in words)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "allocation failure: Invalid account or account/partition combination specified",
            r"refuses a job with account 'mine', qos 'long' \(allocation failure: Invalid account",
        ),
        ("sbatch: error: QOSMaxSubmitJobPerUserLimit\n(job submit limit, ...)", "queue is full"),
        ("sbatch: error: Slurm temporarily unable to accept job, sleeping", "queue is full"),
        ("allocation failure: Resource temporarily unavailable", "queue is full"),
    ],
)
def test_a_refusal_is_told_with_the_words_of_slurm(tmp_path, monkeypatch, said, words) -> None:
    sbatch(tmp_path, f"echo '{said}' >&2; exit 1", monkeypatch)
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(cluster.refusal(ASKED))


def test_no_answer_is_told(tmp_path: Path, monkeypatch) -> None:
    sbatch(tmp_path, "echo 'sbatch: no controller' >&2; exec sleep 30", monkeypatch)
    found = cluster.refusal(ASKED, seconds=0.5)
    assert "did not answer within" in found
    assert "no controller" in found


def test_a_full_queue_is_told_while_sbatch_still_tries(tmp_path: Path, monkeypatch) -> None:
    said = "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying"
    sbatch(tmp_path, f"echo '{said}' >&2; exec sleep 30", monkeypatch)
    found = cluster.refusal(ASKED, seconds=0.5)
    assert found.startswith(f"Slurm's queue is full ({said}); try again later")

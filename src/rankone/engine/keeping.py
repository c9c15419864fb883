"""A long simulation that notes in a file where it is, so that one that was ended can go on there.

The file holds the snapshot of a session and what the session is of. It is written whole or not at
all, from time to time and when the simulation is interrupted, and goes when the simulation is over.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rankone.engine.games import Session, finish
from rankone.engine.intact import arrays, whole

EVERY = 30.0  # seconds between two notes: a shorter simulation writes none


def play(
    session: Session, file: Path, identity: str, progress: Callable[[float], Any] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Play a session to its end, from where the file says it was left, if it is of the same runs.

    `identity` says which runs these are, and by which code: a note of others is not used.
    """
    _resume(session, file, identity)
    runs, horizon = len(session.game.regret), int(session.game.checkpoints[-1])
    noted = time.monotonic()

    def tell(_: int) -> None:
        nonlocal noted
        if progress is not None:
            progress(min(session.rounds / (runs * horizon), 1.0))
        if time.monotonic() - noted >= EVERY:
            _note(session, file, identity)
            noted = time.monotonic()

    begin = time.monotonic()
    try:
        finish(session, tell, lambda: False)
    except BaseException:
        if time.monotonic() - begin >= min(EVERY, 1.0):  # what took less is soon done again
            _note(session, file, identity)
        raise
    file.unlink(missing_ok=True)
    return session.game.regret, session.game.pulls


def _note(session: Session, file: Path, identity: str) -> None:
    with whole(file) as target:
        taken: dict[str, Any] = session.snapshot()
        np.savez(target, identity=np.array(identity), **taken)


def _resume(session: Session, file: Path, identity: str) -> None:
    """Put the session where the file says; a note that is damaged or of other runs is ignored."""
    try:
        stored = arrays(file, lambda name: True)
        if str(stored.pop("identity", "")) == identity:
            session.resume(stored)
    except (OSError, KeyError, ValueError):
        return

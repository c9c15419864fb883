"""What the scripts of the workflow have in common: their log, and how a failure is told."""

import sys
import traceback
from types import TracebackType

from rankone.engine import sources
from rankone.engine.parameters import of_file


def log_to(file: str) -> None:
    """Write what is said, and why the job failed, to a file."""
    sys.stderr = open(file, "w", encoding="utf-8", buffering=1)  # noqa: SIM115 (until the job ends)
    sys.excepthook = tell


def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Failures that the package foresees in one sentence, all others with their traceback."""
    if isinstance(error, OSError):
        print(of_file(error), file=sys.stderr)
    elif isinstance(error, ValueError) and _ours(trace):
        print(error, file=sys.stderr)
    else:
        traceback.print_exception(kind, error, trace)


def _ours(trace: TracebackType | None) -> bool:
    """Whether the package itself raised it: others' errors of the same kind are no sentences."""
    frames = traceback.extract_tb(trace)
    return bool(frames) and frames[-1].filename.startswith(str(sources.PACKAGE))

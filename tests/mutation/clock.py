"""A plugin of pytest for run.py: a test that uses too much CPU time ends the process.

Time on a clock would depend on how busy the machine is. The signal has no handler, so that it also
ends compiled code that does not return.
"""

import os
import signal
from collections.abc import Iterator

import pytest

SECONDS = float(os.environ.get("MUTATION_SECONDS", "0"))  # 0: without a limit


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    return (yield)

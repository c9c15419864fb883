"""The marks that tests may carry; any other one is refused (--strict-markers)."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than ten seconds; skip with -m 'not slow'")
    config.addinivalue_line("markers", "workflow: starts Snakemake; skip with -m 'not workflow'")

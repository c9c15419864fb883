"""The marks that tests may carry; any other one is refused (--strict-markers).

What is marked long runs only where it is asked for: `pytest -m long`, or `make test-long`.
"""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than ten seconds; skip with -m 'not slow'")
    config.addinivalue_line("markers", "workflow: starts Snakemake; skip with -m 'not workflow'")
    config.addinivalue_line("markers", "long: takes minutes; runs with -m long only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "long" in config.option.markexpr:
        return
    long = [item for item in items if item.get_closest_marker("long")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]

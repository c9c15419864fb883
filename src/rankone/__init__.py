"""Bernoulli rank-one and unimodal bandits, simulated exactly and fast.

For example:
    import rankone
    instance = rankone.rank_one(u=[0.75, 0.25, 0.25], v=[0.6, 0.3])
    runs = rankone.simulate("uts", instance, horizon=300_000, runs=100, seed=1, gamma=2)
    runs.checkpoints, runs.regret, runs.pulls
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankone.instances import Instance, graph, matrix, rank_one
    from rankone.simulation import Runs, simulate

__all__ = ["Instance", "Runs", "graph", "matrix", "rank_one", "simulate"]
__version__ = "0.1.0"

_HOMES = {"Runs": "simulation", "simulate": "simulation"}  # the rest lives in instances


def __getattr__(name: str) -> Any:
    """Import on first use: the workflow reads configs without paying for Numba."""
    import importlib

    if name not in __all__:
        raise AttributeError(f"module 'rankone' has no attribute {name!r}")
    home = importlib.import_module(f"rankone.{_HOMES.get(name, 'instances')}")
    return getattr(home, name)

"""Bernoulli rank-one and unimodal bandits, simulated exactly and fast.

For example:
    import rankone
    instance = rankone.rank_one(u=[0.75, 0.25, 0.25], v=[0.6, 0.3])
    runs = rankone.simulate("uts", instance, horizon=300_000, runs=100, seed=1, gamma=2)
    runs.checkpoints, runs.regret, runs.pulls
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankone import instances, policy, runs, simulation, theory
    from rankone.instances import Instance, graph, matrix, rank_one, tensor
    from rankone.runs import Runs
    from rankone.show.plots import Plot, plot
    from rankone.simulation import simulate
    from rankone.stats.comparing import compare

__all__ = [
    "Instance",
    "Plot",
    "Runs",
    "compare",
    "graph",
    "instances",
    "matrix",
    "plot",
    "policy",
    "rank_one",
    "runs",
    "simulate",
    "simulation",
    "tensor",
    "theory",
]
__version__ = "0.1.0"

# Where each name lives; the names that are not here are modules.
_HOMES = {
    "Instance": "instances",
    "Plot": "show.plots",
    "Runs": "runs",
    "compare": "stats.comparing",
    "graph": "instances",
    "matrix": "instances",
    "plot": "show.plots",
    "rank_one": "instances",
    "simulate": "simulation",
    "tensor": "instances",
}


def __getattr__(name: str) -> Any:
    """Import on first use: the workflow reads configs without paying for Numba."""
    if name not in __all__:
        raise AttributeError(f"module 'rankone' has no attribute {name!r}")
    home = importlib.import_module(f"rankone.{_HOMES.get(name, name)}")
    return getattr(home, name) if name in _HOMES else home


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

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
    from rankone import clicks, graphs, instances, policy, runs, simulation, theory
    from rankone.clicks import fit_clicks
    from rankone.csv_files import from_csv
    from rankone.graphs import complete, cycle, grid, line, random_graph, random_tree, tree
    from rankone.instances import Instance, graph, matrix, product, rank_one, tensor
    from rankone.runs import Runs
    from rankone.show.plots import Plot, plot
    from rankone.simulation import simulate
    from rankone.stats.comparing import compare

__all__ = [
    "Instance",
    "Plot",
    "Runs",
    "clicks",
    "compare",
    "complete",
    "cycle",
    "fit_clicks",
    "from_csv",
    "graph",
    "graphs",
    "grid",
    "instances",
    "line",
    "matrix",
    "plot",
    "policy",
    "product",
    "random_graph",
    "random_tree",
    "rank_one",
    "runs",
    "simulate",
    "simulation",
    "tensor",
    "theory",
    "tree",
]
__version__ = "0.1.0"

# Where each name lives; the names that are not here are modules.
_HOMES = {
    "Instance": "instances",
    "Plot": "show.plots",
    "Runs": "runs",
    "compare": "stats.comparing",
    "complete": "graphs",
    "cycle": "graphs",
    "fit_clicks": "clicks",
    "from_csv": "csv_files",
    "graph": "instances",
    "grid": "graphs",
    "line": "graphs",
    "matrix": "instances",
    "plot": "show.plots",
    "product": "instances",
    "random_graph": "graphs",
    "random_tree": "graphs",
    "rank_one": "instances",
    "simulate": "simulation",
    "tensor": "instances",
    "tree": "graphs",
}


def __getattr__(name: str) -> Any:
    """Import on first use: the workflow reads configs without paying for Numba."""
    if name not in __all__:
        raise AttributeError(f"module 'rankone' has no attribute {name!r}")
    home = importlib.import_module(f"rankone.{_HOMES.get(name, name)}")
    return getattr(home, name) if name in _HOMES else home


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

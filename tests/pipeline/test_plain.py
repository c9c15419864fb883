"""Short runs, round by round."""

import rankone
from rankone.pipeline import plain


def test_the_runs_are_plain_ones_of_each_policy():
    entry = {"name": "tiny", "u": [0.8, 0.3], "v": [0.7, 0.2]}
    policies = [
        {"name": "mine", "policy": "uts", "parameters": {"gamma": 3}},
        {"name": "other", "policy": "ucb1", "parameters": {}},
    ]
    table = plain.table(policies, entry, seed=7)
    assert table["policy"].unique().tolist() == ["mine", "other"]
    assert (table["instance"] == "tiny").all()
    assert (table["runs"] == plain.RUNS).all()
    runs = rankone.simulate(
        "uts",
        rankone.rank_one(entry["u"], entry["v"]),
        plain.HORIZON,
        plain.RUNS,
        7,
        exact="plain",
        gamma=3,
    )
    last = table[(table["policy"] == "mine") & (table["t"] == plain.HORIZON)]
    assert last["mean"].item() == runs.regret[:, -1].sum() / plain.RUNS
    assert table["digest"].nunique() == 2

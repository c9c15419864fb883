"""Where published numbers and texts differ from each other or from ours, with the evidence.

Frames in, text out. The long text is a template with places for values and the short one a list of
sentences; every number in either is computed here.
"""

import math
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd

from rankone import instances, theory
from rankone.engine.kl import kl
from rankone.paper import published
from rankone.show import formats
from rankone.show.formats import number, value_and_error

LINE = "table1 line graph; 17 arms .1 .2 ... .9 ... .1"  # OSUB's own table
MATRICES = ["figure3", "figure4"]

Matrix = Mapping[str, Any]  # a rank-one instance: label, u, v


def drawn() -> pd.DataFrame:
    """Lower bounds read off published figures: source, experiment, K, L, t, value, error."""
    with resources.files(__package__).joinpath("data/drawn.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file)


def write(
    template: str,
    compared: pd.DataFrame,
    lines: pd.DataFrame,
    matrices: Sequence[Matrix],
    gammas: Sequence[float],
    limit: float = published.LIMIT,
) -> str:
    """The long text.

    `compared` is from `published.compare`, `lines` from `drawn`; `matrices` are the instances of
    figures 3 and 4, `gammas` the values of the arXiv version.
    """
    policies = ("OSUB", "KLUCB", "UCB1", "Rank1ElimKL")
    values = {
        "limit": f"{limit:g}",
        "bounds": bounds(lines, matrices),
        "main": {policy: variants(compared, MATRICES, policy, limit) for policy in policies[:2]},
        "close": {
            policy: variants(compared, ["figure6"], policy, limit) for policy in policies[:2]
        },
        "line": {policy: variants(compared, [LINE], policy, limit) for policy in policies[:3]},
        "figure3": {"Rank1ElimKL": values_of(compared, "figure3", "Rank1ElimKL")},
        "figure5": {"Rank1ElimKL": values_of(compared, "figure5", "Rank1ElimKL")},
        "figure6": {policy: values_of(compared, "figure6", policy) for policy in policies[:2]},
        "table1": {policy: values_of(compared, LINE, policy) for policy in policies[:3]},
        "bisection": {"table": bisection(compared, limit)},
        "gamma": gamma(compared, gammas),
        "elimination": spread(compared[compared["policy"] == "Rank1Elim"]),
        "far": far(compared, limit),
    }
    return template.format(**values)


def main_findings(
    compared: pd.DataFrame,
    lines: pd.DataFrame,
    matrices: Sequence[Matrix],
    limit: float = published.LIMIT,
) -> str:
    """The five main findings as a Markdown list, one line each."""
    findings = (
        _finding_bounds(bounds(lines, matrices)),
        _finding_clock(variants(compared, MATRICES, "OSUB", limit)),
        _finding_close_means(
            [variants(compared, ["figure6"], policy, limit) for policy in ("KLUCB", "OSUB")]
        ),
        _finding_bisection(_bisections(compared, limit)),
        _finding_unexplained(compared, limit),
    )
    return "".join(f"- {finding}\n" for finding in findings)


def _finding_bounds(found: Mapping[str, str]) -> str:
    return (
        f"**Lower bound.** The line in the published figures is {found['low']} to {found['high']} "
        "times that of Proposition 1: it uses the entries of u and v where their products belong "
        f"(reproduced to {found['worst']} reading errors)."
    )


def _finding_clock(found: Mapping[str, str]) -> str:
    return (
        "**OSUB's clock.** Its published curves in figures 3 and 4 are closest to "
        f"{found['nearest']}: root mean square z {found['rms']}, against {found['shared_rms']} for "
        f"{found['main']} as its paper writes it."
    )


def _finding_close_means(found: Sequence[Mapping[str, str]]) -> str:
    pairs = [
        f"{one['nearest']}, root mean square z {one['rms']} against {one['shared_rms']} for "
        f"{one['main']}"
        for one in found
    ]
    return (
        f"**c in figure 6.** The published numbers are closest to {', and to '.join(pairs)} with "
        "the c of figures 3 and 4."
    )


def _finding_bisection(pairs: Sequence[tuple[pd.Series, pd.Series]]) -> str:
    found = [
        f"from {number(exact['rms_z'], 2)} to {number(coarse['rms_z'], 2)} for "
        f"{exact['variant_label']}"
        for exact, coarse in pairs
    ]
    effect = f"changes the root mean square z {', '.join(found)}" if found else "was not simulated"
    return (
        "**Bisection.** An index by a bisection that stops at a width of 0.01, as the steps in the "
        f"published curves suggest, {effect} (figures 3 and 4)."
    )


def _finding_unexplained(compared: pd.DataFrame, limit: float) -> str:
    rows = _far(compared, limit)
    left = [row for row in rows if abs(row["nearest_z"]) > limit]
    where: dict[str, int] = {}
    for row in left:
        key = f"{published.spoken(row['policy'])} in {published.place(row['source'], row['group'])}"
        where[key] = where.get(key, 0) + 1
    listed = "; ".join(f"{key}: {count}" for key, count in where.items())
    total = int(compared["main"].sum())
    return (
        f"**Unexplained.** Of {total} published numbers {len(rows)} are further than {limit:g} "
        f"combined standard errors from the variant that our figures show, and {len(left)} from "
        f"every variant that we tried{f' ({listed})' if listed else ''}."
    )


def bounds(lines: pd.DataFrame, matrices: Sequence[Matrix]) -> dict[str, str]:
    """The line of the lower bound: by Proposition 1, as drawn, and with u and v for products."""
    rows, errors = [], []
    for _, line in lines.iterrows():
        shape = (int(line["K"]), int(line["L"]))
        matrix = next(m for m in matrices if (len(m["u"]), len(m["v"])) == shape)
        constant = theory.unimodal_constant(instances.rank_one(matrix["u"], matrix["v"]))
        right = constant * math.log(line["t"])
        other = vectors_constant(matrix) * math.log(line["t"])
        errors.append((line["value"] - other) / line["error"])
        rows.append(
            {
                "Matrix": matrix["label"],
                "T": f"{line['t']:,}",
                "Proposition 1": number(right, 4),
                "read off the figure": value_and_error(line["value"], line["error"], digits=1),
                "with u and v for the products": number(other, 4),
                "drawn / right": number(line["value"] / right),
            }
        )
    shares = [float(row["drawn / right"]) for row in rows]
    return {
        "table": formats.markdown(pd.DataFrame(rows)),
        "low": number(min(shares), 3),
        "high": number(max(shares), 3),
        "worst": number(max(map(abs, errors)), 2),
    }


def vectors_constant(matrix: Matrix) -> float:
    """The sum of Proposition 1 with the entries of u and v where products of them belong."""
    total = 0.0
    for side in (matrix["u"], matrix["v"]):
        top = max(side)
        total += sum((top - x) / kl(x, top) for x in side if x != top)
    return total


def variants(
    compared: pd.DataFrame, experiments: Sequence[str], policy: str, limit: float
) -> dict[str, str]:
    """How far each variant is from what was published for a policy, nearest first."""
    here = compared[compared["experiment"].isin(experiments) & (compared["policy"] == policy)]
    # only where all variants were simulated can they be ranked by the same numbers
    keys = ["experiment", "K", "L", "t", "statistic"]
    common = here.groupby(keys, dropna=False)["variant"].transform("nunique")
    table = published.summary(here.assign(experiment="", source=""), limit).sort_values("rms_z")
    shared = published.summary(
        here[common == here["variant"].nunique()].assign(experiment="", source=""), limit
    ).sort_values("rms_z")
    rows = [
        {
            "Variant": row["variant_label"],
            "numbers": f"{row['numbers']}",
            "root mean square z": number(row["rms_z"], 2),
            "largest z": _signed(row["largest_z"]),
            f"beyond ±{limit:g}": f"{row['beyond']}",
        }
        for _, row in table.iterrows()
    ]
    shared = shared if len(shared) else table
    nearest, main = shared.iloc[0], table[table["main"]]
    same = shared[shared["main"]]
    return {
        "table": formats.markdown(pd.DataFrame(rows)),
        "nearest": str(nearest["variant_label"]),
        "rms": number(nearest["rms_z"], 2),
        "beyond": str(nearest["beyond"]),
        "main": str(main["variant_label"].iloc[0]) if len(main) else "",
        "shared_rms": number(same["rms_z"].iloc[0], 2) if len(same) else "",
        "main_beyond": str(main["beyond"].iloc[0]) if len(main) else "",
        "main_numbers": str(main["numbers"].iloc[0]) if len(main) else "",
    }


def bisection(compared: pd.DataFrame, limit: float) -> str:
    """The z-scores of each variant with an exact index and with a bisection."""
    rows = [
        {
            "Variant": row["variant_label"],
            "numbers": f"{row['numbers']}",
            "root mean square z": number(row["rms_z"], 2),
            f"beyond ±{limit:g}": f"{row['beyond']}",
        }
        for pair in _bisections(compared, limit)
        for row in pair
    ]
    return formats.markdown(pd.DataFrame(rows)) if rows else "Not simulated.\n"


def _bisections(compared: pd.DataFrame, limit: float) -> list[tuple[pd.Series, pd.Series]]:
    """The summaries of figures 3 and 4 for each variant x and its x_bisection.

    Both are taken over the numbers that both variants have.
    """
    here = compared[compared["experiment"].isin(MATRICES)]
    groups = dict(iter(here.groupby(["policy", "variant"], sort=False)))
    keys = ["experiment", "K", "L", "t", "statistic"]
    pairs = []
    for (policy, name), exact in groups.items():
        coarse = groups.get((policy, f"{name}_bisection"))
        if coarse is not None:
            exact = exact.merge(coarse[keys], on=keys)
            coarse = coarse.merge(exact[keys], on=keys)
            both = (rows.assign(experiment="", source="") for rows in (exact, coarse))
            one, two = (published.summary(rows, limit).iloc[0] for rows in both)
            pairs.append((one, two))
    return pairs


def values_of(compared: pd.DataFrame, experiment: str, policy: str) -> str:
    """The means of each variant at the last round of each size, or at each round of a graph."""
    here = compared[(compared["experiment"] == experiment) & (compared["policy"] == policy)]
    here = here[here["statistic"].str.startswith("mean")]
    if here["K"].notna().all():
        here = here[here["t"] == here["t"].max()]
        place = [f"K = {size}" for size in here["K"]]
    else:
        place = [f"T = {t:,}" for t in here["t"]]
    here = here.assign(place=place)
    columns = list(dict.fromkeys(place))
    told = here.drop_duplicates("place").set_index("place")["published"]
    rows = [{"Variant": "published", **{name: number(told[name], 3) for name in columns}}]
    for label, group in here.groupby("variant_label", sort=False):
        own = group.set_index("place")
        cells = {
            name: f"{number(own['ours'][name], 3)} (z = {_signed(own['z'][name])})"
            if name in own.index
            else ""
            for name in columns
        }
        rows.append({"Variant": str(label), **cells})
    return formats.markdown(pd.DataFrame(rows))


def gamma(compared: pd.DataFrame, gammas: Sequence[float]) -> dict[str, str]:
    """The values of gamma in the two versions, and the numbers of figure 2."""
    here = compared[(compared["experiment"] == "figure2") & compared["main"]]
    rows = [
        {
            "Policy": published.spoken(row["policy"]),
            "Published": value_and_error(row["published"], row["reading_error"], digits=1),
            "Ours ± s.e.": value_and_error(row["ours"], row["ours_se"]),
            "z": _signed(row["z"]),
        }
        for _, row in here.iterrows()
    ]
    told = [
        row["policy"].removeprefix("UTS(gamma=").removesuffix(")") for _, row in here.iterrows()
    ]
    steps = np.append(np.diff(here["ours"].sort_values()), 0.0)
    return {
        "table": formats.markdown(pd.DataFrame(rows)),
        "arxiv": ", ".join(f"{g:g}" for g in gammas),
        "proceedings": ", ".join(told),
        "error": number(math.sqrt(2) * here["theirs_se"].mean(), 2),
        "apart": number(steps[0], 2),
        "step": number(steps[1:].max(initial=0.0), 2),
    }


def spread(rows: pd.DataFrame) -> dict[str, str]:
    """The z-scores of some numbers, as their count, range and root mean square."""
    z = rows["z"].to_numpy()
    return {
        "numbers": f"{len(z)}",
        "low": _signed(z.min()),
        "high": _signed(z.max()),
        "rms": number(float(np.sqrt(np.mean(z**2))), 2),
    }


def far(compared: pd.DataFrame, limit: float) -> dict[str, str]:
    """The published numbers beyond the limit, with the variant that is nearest to each."""
    rows = [
        {
            "Experiment": published.place(row["source"], row["experiment"]),
            "Size": "graph" if pd.isna(row["K"]) else f"{row['K']} × {row['L']}",
            "t": f"{row['t']:,}",
            "Policy": published.spoken(row["policy"]),
            "Statistic": row["statistic"],
            "Published": number(row["published"]),
            "Ours": number(row["ours"]),
            "z": _signed(row["z"]),
            "Nearest variant": row["nearest"],
            "its z": _signed(row["nearest_z"]),
        }
        for row in _far(compared, limit)
    ]
    return {
        "table": formats.markdown(pd.DataFrame(rows)) if rows else "None.\n",
        "count": f"{len(rows)}",
        "numbers": f"{int(compared['main'].sum())}",
    }


def _far(compared: pd.DataFrame, limit: float) -> list[dict[str, Any]]:
    """The rows of main variants beyond the limit, each with its nearest variant.

    `group` is the figure or table without the cell of a table.
    """
    keys = ["source", "experiment", "K", "L", "t", "policy", "statistic"]
    main, rows = compared[compared["main"]], []
    for _, row in main[main["z"].abs() > limit].iterrows():
        same = (compared[keys].fillna(-1) == row[keys].fillna(-1)).all(axis=1)
        best = compared[same].iloc[compared.loc[same, "z"].abs().argmin()]
        group = str(row["experiment"]).split()[0]
        nearest = {"nearest": best["variant_label"], "nearest_z": best["z"], "group": group}
        rows.append({**{str(key): value for key, value in row.items()}, **nearest})
    return rows


def _signed(z: float) -> str:
    return f"{z:+.1f}".replace("-", "−")

"""The paper's claims, each decided by a pure function: data frames in, verdict and reason out.

All intervals of a claim hold together at the level given (Bonferroni). What "roughly" or "an order
of magnitude" means is an argument, given in the config.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

import pandas as pd

from rankone.paper.verdicts import FAILS, HOLDS, OPEN, Finals, Part, Verdict, both, conclude
from rankone.show.text import number, write_table
from rankone.stats import intervals
from rankone.stats.bands import final
from rankone.stats.intervals import Interval, Mean, joint

KEYS = ("id", "statement", "place", "statistic", "interval", "verdict", "reason")

Labels = Mapping[str, str]  # of policies and instances


class Cell(NamedTuple):
    """A policy on an instance, with the constant that its slope should tend to."""

    instance: str
    policy: str
    constant: float


def slope(
    slopes: pd.DataFrame,
    cells: Sequence[Cell],
    late: Sequence[int],
    *,
    tolerance: float,
    arrived: float,
    labels: Labels,
    level: float,
) -> Verdict:
    """Whether slopes of the regret tend to constants (claims 1, 2 and 4).

    Between the two late rounds the slope in f(T) = ln T + c ln ln T must be within the tolerance of
    the constant, and have come nearer since the earlier rounds, unless it has arrived. The slope
    in ln T has the same limit: that it is not within the tolerance yet is a remark.
    """
    rows, at = slopes.set_index(["instance", "policy"]), joint(level, 3 * len(cells))
    parts, remarks, shares = [], [], {"early": [], "late": []}  # type: ignore[var-annotated]
    near = {"least": 1 - tolerance, "most": 1 + tolerance}
    for cell in cells:
        row, name = rows.loc[cell[:2]], f"{labels[cell.policy]} on {labels[cell.instance]}"
        here = _share(row, "late", cell.constant, at)
        parts.append(Part(f"slope / constant of {name}", here, **near))
        if not Part("", here, 1 - arrived, 1 + arrived).inside:
            move = _towards(row, cell.constant, at)
            parts.append(Part(f"slope's move towards the constant of {name}", move, least=0.0))
        in_log = _share(row, "late_in_log", cell.constant, at)
        remarks.append(Part(f"slope in ln T / constant of {name}", in_log, **near))
        for when, found in shares.items():
            found.append(row[when] / cell.constant)
    text = {when: f"{number(min(x))} to {number(max(x))}" for when, x in shares.items()}
    summary = (
        f"between T = {late[0]:.0e} and {late[1]:.0e} the slopes are {text['late']} times their "
        f"constants, and were {text['early']} times before"
    )
    return conclude(summary, parts, remarks, "so it is in ln T + c ln ln T, not yet in ln T alone")


def _share(row: pd.Series, key: str, constant: float, level: float) -> Interval:
    """A slope as a multiple of the constant."""
    mean = Mean(row[key] / constant, row[f"{key}_se"] / constant, int(row["runs"]))
    return intervals.of_mean(mean, level)


def _towards(row: pd.Series, constant: float, level: float) -> Interval:
    """How much nearer the slope has come to the constant, paired inside each run.

    On the same side of it that is the change; across it |early - 1| - |late - 1| = 2 - early - late
    in multiples of the constant, if it came from below.
    """
    rising = row["early"] < constant
    if rising == (row["late"] < constant):
        value, low, high = _share(row, "change", constant, level)
    else:
        value, low, high = (2 - x for x in _share(row, "sum", constant, level))
        low, high = high, low
    return Interval(value, low, high) if rising else Interval(-value, -high, -low)


def ordered(
    bands: pd.DataFrame,
    instances: Sequence[str],
    policies: Sequence[str],
    *,
    labels: Labels,
    level: float,
) -> Verdict:
    """Whether the final regret rises from each policy of a list to the next (claim 3)."""
    steps = list(itertools.pairwise(policies))
    finals = Finals(bands, labels, joint(level, len(steps) * len(instances)))
    parts = []
    for instance, (low, high) in itertools.product(instances, steps):
        means = finals.mean(instance, high), finals.mean(instance, low)
        rise = intervals.of_difference(*means, finals.level)
        parts.append(Part(f"the rise from {labels[low]} to {labels[high]}", rise, least=0.0))
    last = [final(bands, instances[0], policy) for policy in policies]
    shown = ", ".join(
        f"{number(row['mean'])} ({labels[name]})" for name, row in zip(policies, last, strict=True)
    )
    runs = sorted({int(row["runs"]) for row in last})
    count = " to ".join(f"{n:,}" for n in dict.fromkeys([runs[0], runs[-1]]))
    summary = f"the regret at T = {last[0]['t']:.0e} over {count} runs is {shown}"
    return conclude(summary, parts)


def times_larger(
    bands: pd.DataFrame,
    instances: Sequence[str],
    top: str,
    others: Sequence[str],
    *,
    least: float,
    literal: float,
    further: Sequence[str] = (),
    labels: Labels,
    level: float,
) -> Verdict:
    """Whether a policy's final regret is at least so many times that of others (claims 5 and 6).

    Below the factor of the literal reading, or on `further` instances below the same factor, it
    holds with a remark.
    """
    finals = Finals(bands, labels, joint(level, (len(instances) + len(further)) * len(others)))

    def ratios(where: Sequence[str], factor: float) -> list[Part]:
        pairs = itertools.product(where, others)
        return [finals.ratio(i, top, other, least=factor) for i, other in pairs]

    parts, remarks = ratios(instances, least), ratios(instances, literal) + ratios(further, least)
    spans = []
    for other in others:
        found = [finals.ratio(i, top, other).estimate.value for i in instances]
        spans.append(f"{number(min(found))} to {number(max(found))} ({labels[other]})")
    summary = f"the factors are {', '.join(spans)}"
    if further:
        wider = [part.estimate.value for part in ratios(further, least)]
        summary += f", and on {len(further)} further matrices {number(min(wider))} to "
        summary += number(max(wider))
    return conclude(summary, parts, remarks, f"not everywhere a factor of {number(literal)}")


def growth(
    bands: pd.DataFrame,
    instances: Sequence[str],
    factors: Mapping[str, float],
    constants: Mapping[str, float],
    *,
    within: float,
    labels: Labels,
    level: float,
) -> Verdict:
    """Whether the final regret roughly doubles, or quadruples, from each instance to the next
    (claim 7).

    Roughly: nearer to the factor than to another power of two on a log scale. Further from it than
    the share `within`, it holds with a remark. `constants` are those of the lower bound.
    """
    steps, root = list(itertools.pairwise(instances)), math.sqrt(2)
    finals = Finals(bands, labels, joint(level, len(steps) * len(factors)))
    parts, remarks, shown = [], [], []
    for policy, factor in factors.items():
        grown = []
        for step in steps:
            grown.append(finals.growth(*step, policy, least=factor / root, most=factor * root))
            close = (1 - within) * factor, (1 + within) * factor
            remarks.append(finals.growth(*step, policy, least=close[0], most=close[1]))
        parts += grown
        text = " and ".join(number(part.estimate.value) for part in grown)
        shown.append(f"{text} ({labels[policy]})")
    bound = " and ".join(number(constants[large] / constants[small]) for small, large in steps)
    summary = f"from K to 2K the regret grows by {', '.join(shown)}, the lower bound by {bound}"
    return conclude(summary, parts, remarks, f"a factor not within {within:.0%} of the one named")


def crossing(
    bands: pd.DataFrame,
    instances: Sequence[str],
    *,
    newcomer: str,
    rival: str,
    ancestor: str,
    yardstick: str,
    variants: Sequence[tuple[str, str]],
    labels: Labels,
    level: float,
) -> Verdict:
    """Whether a newcomer beats its rival on the last instance only, beats its ancestor on all, and
    grows less than the yardstick (claim 8).

    Where other variants (newcomer, rival) of the same policies do not cross so, it is a remark.
    """
    steps, last = list(itertools.pairwise(instances)), instances[-1]
    at = joint(level, len(instances) * (2 + len(variants)) + len(steps))
    finals = Finals(bands, labels, at)

    def duel(new: str, old: str) -> list[Part]:
        lost = [finals.ratio(i, new, old, least=1.0) for i in instances if i != last]
        return [*lost, finals.ratio(last, new, old, most=1.0)]

    parts = duel(newcomer, rival)
    remarks = [part for pair in variants for part in duel(*pair)]
    shown = ", ".join(number(part.estimate.value) for part in parts)
    summary = f"{labels[newcomer]} has {shown} times the regret of {labels[rival]} on "
    summary += ", ".join(labels[instance] for instance in instances)
    parts += [finals.ratio(i, newcomer, ancestor, most=1.0) for i in instances]
    for small, large in steps:
        tops = [finals.mean(large, newcomer), finals.mean(small, yardstick)]
        bottoms = [finals.mean(small, newcomer), finals.mean(large, yardstick)]
        what = f"growth of {labels[newcomer]} / of {labels[yardstick]} to {labels[large]}"
        parts.append(Part(what, intervals.of_ratio(tops, bottoms, at), most=1.0))
    return conclude(summary, parts, remarks, "with another variant of the policies it is not so")


def beats_everywhere(
    bands: pd.DataFrame,
    instances: Sequence[str],
    *,
    winners: Sequence[str],
    losers: Sequence[str],
    warm: str,
    cold: str,
    harm: float,
    labels: Labels,
    level: float,
) -> Verdict:
    """Whether the winners' final regret is below the losers' on every instance, and leaving out the
    warm-up raises it nowhere by a share of `harm` (claim 9); a smaller harm is a remark."""
    at = joint(level, len(instances) * (len(winners) * len(losers) + 1))
    finals = Finals(bands, labels, at)
    cells = itertools.product(instances, winners, losers)
    duels = [finals.ratio(*cell, most=1.0) for cell in cells]
    spared = [finals.ratio(i, cold, warm, most=1 + harm) for i in instances]
    remarks = [finals.ratio(i, cold, warm, most=1.0) for i in instances]
    shares = [part.estimate.value for part in spared]
    summary = (
        f"on {len(instances)} instances the winners have at most "
        f"{number(max(part.estimate.value for part in duels))} times the regret of the losers, and "
        f"without the warm-up it is {number(min(shares))} to {number(max(shares))} times"
    )
    remark = f"a harm below {harm:.0%}"
    return conclude(summary, [*duels, *spared], remarks, remark)


def unimodal(cases: pd.DataFrame, *, risk: float, level: float) -> Verdict:
    """Whether every matrix with u > 0 or v > 0 is unimodal, by paths of two steps (claim 10).

    One counterexample refutes it; without any the interval for their share must end below `risk`.
    That the condition is needed shows in the matrices without it: none may be unimodal.
    """
    covered, rest = cases[cases["positive"]], cases[~cases["positive"]]
    broken = int((~covered["unimodal"] | ~(covered["longest"] <= 2)).sum())
    share = intervals.of_share(broken, len(covered), level)
    if broken or rest["unimodal"].any():
        verdict = FAILS
    else:
        verdict = HOLDS if share.high <= risk and len(rest) > 0 else OPEN
    reason = (
        f"{broken:,} of {len(covered):,} random matrices with u > 0 or v > 0 have an arm without "
        f"an increasing path of at most 2 steps, and {int(rest['unimodal'].sum()):,} of "
        f"{len(rest):,} with zeros in both u and v are unimodal."
    )
    return Verdict(share.value, (share.low, share.high), verdict, reason)


def leader_explored(cases: pd.DataFrame, *, risk: float, level: float) -> Verdict:
    """Whether N_k(t) >= floor(l_k(t) / gamma) at all times and for all arms (claim 11).

    One run that breaks it refutes it. Runs whose leader is never forced must break it now and then,
    or the test has no teeth.
    """
    forced, free = cases[cases["forced"]], cases[~cases["forced"]]
    broken, control = int((forced["slack"] < 0).sum()), int((free["slack"] < 0).sum())
    share = intervals.of_share(broken, len(forced), level)
    decided = share.high <= risk and control > 0
    verdict = FAILS if broken else HOLDS if decided else OPEN
    reason = (
        f"{broken:,} of {len(forced):,} runs of UTS with leader exploration break it at some time "
        f"for some arm (least N_k - floor(l_k / γ): {int(forced['slack'].min())}), against "
        f"{control:,} of {len(free):,} runs without (least: {int(free['slack'].min())})."
    )
    return Verdict(share.value, (share.low, share.high), verdict, reason)


class Evidence(NamedTuple):
    """All that the claims are decided from."""

    bands: Mapping[str, pd.DataFrame]  # by study
    slopes: pd.DataFrame  # of all studies that have them
    constants: pd.DataFrame  # index: instance; columns: unimodal, lai_robbins
    unimodality: pd.DataFrame
    exploration: pd.DataFrame
    labels: Labels

    def cells(self, bounds: Mapping[str, Sequence[str]]) -> list[Cell]:
        """Where the policies named under each bound have slopes."""
        return [
            Cell(str(row["instance"]), str(row["policy"]), self.constants[bound][row["instance"]])
            for bound, policies in bounds.items()
            for _, row in self.slopes.iterrows()
            if row["policy"] in policies
        ]

    def instances(self, studies: Sequence[str]) -> list[str]:
        """The instances of some studies, in order."""
        return list(dict.fromkeys(i for study in studies for i in self.bands[study]["instance"]))

    def together(self, studies: Sequence[str]) -> pd.DataFrame:
        """The bands of some studies."""
        return pd.concat([self.bands[study] for study in studies], ignore_index=True)


def decide(evidence: Evidence, rules: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every claim with its verdict, as the plain data of results/claims.json.

    `rules` is the section `claims` of the config: what each claim is decided on, and its bounds.
    """
    level = {"level": rules["level"]}
    every = {"labels": evidence.labels, **level}
    constants = {"constants": evidence.constants["unimodal"]}

    def by_slopes(name: str) -> Verdict:
        cells = evidence.cells(rules[name])
        return slope(evidence.slopes, cells, **rules["slopes"], **every)

    def by_ends(name: str, function: Callable[..., Verdict], **more: Any) -> Verdict:
        own = dict(rules[name])
        studies, further = own.pop("studies"), own.pop("further", [])
        bands = evidence.together([*studies, *further])
        if further:
            own["further"] = evidence.instances(further)
        return function(bands, evidence.instances(studies), **own, **more, **every)

    def by_rates_and_ends(name: str) -> Verdict:
        own, half = dict(rules[name]), {**every, "level": joint(rules["level"], 2)}
        cells = evidence.cells({"unimodal": own.pop("rates")})
        studies = own.pop("studies")
        bands, where = evidence.together(studies), evidence.instances(studies)
        rates = slope(evidence.slopes, cells, **rules["slopes"], **half)
        return both(ordered(bands, where, **own, **half), rates)

    verdicts = (
        by_slopes("uts_is_optimal"),
        by_slopes("others_are_optimal"),
        by_rates_and_ends("gamma"),
        by_slopes("conjecture"),
        by_ends("order_of_magnitude", times_larger),
        by_ends("factor_of_20", times_larger),
        by_ends("growth", growth, **constants),
        by_ends("larger_matrices", crossing),
        by_ends("appendix", beats_everywhere),
        unimodal(evidence.unimodality, risk=rules["unimodality"]["risk"], **level),
        leader_explored(evidence.exploration, risk=rules["leader_exploration"]["risk"], **level),
    )
    return [record(*pair) for pair in zip(statements(), verdicts, strict=True)]


def statements() -> list[dict[str, Any]]:
    """The claims in words: id, statement, and its place in the paper."""
    with resources.files(__package__).joinpath("data/claims.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file).to_dict("records")


def record(claim: Mapping[str, Any], verdict: Verdict) -> dict[str, Any]:
    """A claim with its verdict as plain data; an end at infinity becomes null."""

    def plain(x: float) -> float | None:
        return float(x) if math.isfinite(x) else None

    reason = verdict.reason[0].upper() + verdict.reason[1:]
    row = {**claim, **verdict._asdict(), "reason": reason}
    row["statistic"] = plain(verdict.statistic)
    row["interval"] = [plain(x) for x in verdict.interval]
    return {key: row[key] for key in KEYS}


def write(verdicts: Sequence[Mapping[str, Any]], paths: Sequence[str], caption: str = "") -> None:
    """The verdicts as a table, one file a path."""
    table = pd.DataFrame(verdicts)
    table["low"], table["high"] = zip(*table.pop("interval"), strict=True)
    texts = {"Claim": "statement", "Place": "place", "Verdict": "verdict", "Reason": "reason"}
    shown = table[list(texts.values())].rename(columns={v: k for k, v in texts.items()})
    shown.insert(0, "No.", table["id"].astype(str))
    shown.insert(3, "Statistic", [number(x, 4) for x in table["statistic"].astype(float)])
    ends = zip(table["low"].astype(float), table["high"].astype(float), strict=True)
    shown.insert(4, "Interval", [f"{number(low, 4)} to {number(high, 4)}" for low, high in ends])
    write_table(table, shown, paths, caption)

"""How claims are decided: one function for each kind of claim, data frames in, verdict out.

A claim is an entry of a config's section `claims:`, whose `kind` is a function of this file. The
kinds know nothing about the paper: which policies, studies and numbers a claim is about are keys of
its entry, so a campaign of your own can make claims about policies of your own.

The intervals of one claim hold together at the campaign's level (Bonferroni). The instances are
those of the entry's studies, in their order.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from rankone.paper import verdicts
from rankone.paper.verdicts import HOLDS, Comparisons, Finals, Part, Verdict
from rankone.show import formats
from rankone.stats import bands as at_checkpoints
from rankone.stats import intervals
from rankone.stats.bands import PolicyName
from rankone.stats.intervals import Interval, Mean

Labels = Mapping[str, str]  # of policies and instances


def slopes_reach(
    slopes: pd.DataFrame,
    constants: pd.DataFrame,
    labels: Labels,
    level: float,
    *,
    tolerance: float,
    arrived: float,
    unimodal: Sequence[PolicyName] = (),
    lai_robbins: Sequence[PolicyName] = (),
) -> Verdict:
    """Whether the regret of policies grows at the rate of a lower bound.

    `unimodal` and `lai_robbins` list the policies that should reach that bound, on every instance
    where they have slopes. In the last window the slope in f(T) = ln T + c ln ln T must be
    within the share `tolerance` of the bound's constant, and must have come nearer to it since the
    window before, unless it is within the share `arrived`. The slope in ln T has the same limit:
    that it is not within the tolerance yet is a remark.
    """
    cells = _sloped(slopes, constants["unimodal"], unimodal)
    cells += _sloped(slopes, constants["lai_robbins"], lai_robbins)
    at = intervals.joint(level, 3 * len(cells))
    near = {"least": 1 - tolerance, "most": 1 + tolerance}
    parts, remarks = [], []
    for cell in cells:
        name = f"{labels[cell.policy]} on {labels[cell.instance]}"
        here = _share(cell, "slope", at)
        parts.append(Part(f"slope / constant of {name}", here, **near))
        if not Part("", here, 1 - arrived, 1 + arrived).inside:
            what = f"move of the slope towards the constant of {name}"
            parts.append(Part(what, _towards(cell, at), least=0.0))
        in_log = _share(cell, "in_log", at)
        remarks.append(Part(f"slope in ln T / constant of {name}", in_log, **near))
    late = _span(cell.late["slope"] / cell.constant for cell in cells)
    early = _span(cell.early["slope"] / cell.constant for cell in cells)
    windows = {f"T = {x.late['first']:.0e} and {x.late['last']:.0e}" for x in cells}
    summary = (
        f"between {' or '.join(sorted(windows))} the slopes are {late} times their constants; "
        f"in the window before they were {early} times"
    )
    remark = "this is so for slopes in ln T + c ln ln T, not yet for slopes in ln T alone"
    return verdicts.conclude(summary, Comparisons(parts, remarks), remark)


def ordered(
    bands: pd.DataFrame, labels: Labels, level: float, *, order: Sequence[PolicyName]
) -> Verdict:
    """Whether the final regret rises from each policy of `order` to the next, on each instance."""
    steps, instances = list(itertools.pairwise(order)), _instances(bands)
    at = intervals.joint(level, len(steps) * len(instances))
    finals = Finals(bands, labels, at)
    parts = []
    for instance, (low, high) in itertools.product(instances, steps):
        means = finals.mean(instance, high), finals.mean(instance, low)
        what = f"rise from {labels[low]} to {labels[high]} on {labels[instance]}"
        parts.append(Part(what, intervals.of_difference(*means, at), least=0.0))
    last = [at_checkpoints.final(bands, instances[0], policy) for policy in order]
    shown = ", ".join(
        f"{formats.number(row['mean'])} ({labels[name]})"
        for name, row in zip(order, last, strict=True)
    )
    runs = sorted({int(row["runs"]) for row in last})
    count = " to ".join(f"{n:,}" for n in dict.fromkeys([runs[0], runs[-1]]))
    summary = f"the regret on {labels[instances[0]]} at T = {last[0]['t']:.0e} over {count} runs "
    return verdicts.conclude(f"{summary}is {shown}", Comparisons(parts))


def ordered_at_the_rate(
    slopes: pd.DataFrame,
    constants: pd.DataFrame,
    further: pd.DataFrame,
    labels: Labels,
    level: float,
    *,
    order: Sequence[PolicyName],
    tolerance: float,
    arrived: float,
    unimodal: Sequence[PolicyName] = (),
    lai_robbins: Sequence[PolicyName] = (),
) -> Verdict:
    """Both `ordered`, on the studies `further`, and `slopes_reach`, on the entry's own studies.

    Two sets of studies, since slopes need long horizons and an order of curves needs many runs.
    """
    half = intervals.joint(level, 2)
    rates = slopes_reach(
        slopes,
        constants,
        labels,
        half,
        tolerance=tolerance,
        arrived=arrived,
        unimodal=unimodal,
        lai_robbins=lai_robbins,
    )
    return verdicts.both(ordered(further, labels, half, order=order), rates)


def times_larger(
    bands: pd.DataFrame,
    further: pd.DataFrame,
    labels: Labels,
    level: float,
    *,
    top: PolicyName,
    others: Sequence[PolicyName],
    least: float,
    literal: float | None = None,
) -> Verdict:
    """Whether the final regret of `top` is at least `least` times that of each of the others.

    If a factor is below `literal`, a larger number for a stricter reading, or below `least` in one
    of the studies `further`, the claim holds with a remark.
    """
    instances, more = _instances(bands), _instances(further)
    at = intervals.joint(level, (len(instances) + len(more)) * len(others))

    def ratios(frame: pd.DataFrame, factor: float) -> list[Part]:
        finals, pairs = Finals(frame, labels, at), itertools.product(_instances(frame), others)
        return [finals.ratio(i, top, other, least=factor) for i, other in pairs]

    parts, wider = ratios(bands, least), ratios(further, least)
    remarks = [*(ratios(bands, literal) if literal is not None else []), *wider]
    spans = [
        f"{_span(part.estimate.value for part in parts[k :: len(others)])} ({labels[other]})"
        for k, other in enumerate(others)
    ]
    summary = f"the regret of {labels[top]} is larger by the factors {', '.join(spans)}"
    if wider:
        span = _span(part.estimate.value for part in wider)
        summary += f", and on {len(more)} further instances {span}"
    remark = f"the factor is not everywhere {formats.number(literal or least)}"
    return verdicts.conclude(summary, Comparisons(parts, remarks), remark)


def grows(
    bands: pd.DataFrame,
    constants: pd.DataFrame,
    labels: Labels,
    level: float,
    *,
    factors: Mapping[PolicyName, float],
    within: float,
) -> Verdict:
    """Whether the final regret of each policy in `factors` grows roughly by its factor from each
    instance to the next.

    Roughly: nearer to the factor than to half or twice of it on a log scale. If the growth is
    further from the factor than the share `within`, the claim holds with a remark.
    """
    instances, root = _instances(bands), math.sqrt(2)
    steps = list(itertools.pairwise(instances))
    finals = Finals(bands, labels, intervals.joint(level, len(steps) * len(factors)))
    parts, remarks, shown = [], [], []
    for policy, factor in factors.items():
        close = {"least": (1 - within) * factor, "most": (1 + within) * factor}
        rough = {"least": factor / root, "most": factor * root}
        grown = [finals.growth(one, two, policy, **rough) for one, two in steps]
        remarks += [finals.growth(one, two, policy, **close) for one, two in steps]
        parts += grown
        text = " and ".join(formats.number(part.estimate.value) for part in grown)
        shown.append(f"{text} ({labels[policy]})")
    bound = constants["unimodal"]
    by = " and ".join(formats.number(bound[large] / bound[small]) for small, large in steps)
    path = " to ".join(labels[instance] for instance in instances)
    summary = f"from {path} the regret grows by {', '.join(shown)}, the lower bound by {by}"
    remark = f"a growth is not within {within:.0%} of the factor named"
    return verdicts.conclude(summary, Comparisons(parts, remarks), remark)


def overtakes(
    bands: pd.DataFrame,
    labels: Labels,
    level: float,
    *,
    newcomer: PolicyName,
    rival: PolicyName,
    ancestor: PolicyName,
    yardstick: PolicyName,
    variants: Sequence[Sequence[PolicyName]] = (),
) -> Verdict:
    """Whether a newcomer has a smaller final regret than its rival on the last instance only, a
    smaller one than its ancestor on all, and grows less than the yardstick from each instance to
    the next.

    If another pair [newcomer, rival] of `variants` does not cross in that way, it is a remark.
    """
    instances = _instances(bands)
    steps, last = list(itertools.pairwise(instances)), instances[-1]
    at = intervals.joint(level, len(instances) * (2 + len(variants)) + len(steps))
    finals = Finals(bands, labels, at)

    def duel(new: str, old: str) -> list[Part]:
        lost = [finals.ratio(i, new, old, least=1.0) for i in instances if i != last]
        return [*lost, finals.ratio(last, new, old, most=1.0)]

    parts = duel(newcomer, rival)
    shown = ", ".join(formats.number(part.estimate.value) for part in parts)
    where = ", ".join(labels[instance] for instance in instances)
    summary = f"{labels[newcomer]} has {shown} times the regret of {labels[rival]} on {where}"
    parts += [finals.ratio(i, newcomer, ancestor, most=1.0) for i in instances]
    for small, large in steps:
        tops = [finals.mean(large, newcomer), finals.mean(small, yardstick)]
        bottoms = [finals.mean(small, newcomer), finals.mean(large, yardstick)]
        what = f"growth of {labels[newcomer]} / of {labels[yardstick]} to {labels[large]}"
        parts.append(Part(what, intervals.of_ratio(tops, bottoms, at), most=1.0))
    remarks = [part for new, old in variants for part in duel(new, old)]
    remark = "with another variant of the policies it is not so"
    return verdicts.conclude(summary, Comparisons(parts, remarks), remark)


def beats_everywhere(
    bands: pd.DataFrame,
    labels: Labels,
    level: float,
    *,
    winners: Sequence[PolicyName],
    losers: Sequence[PolicyName],
    instead_of: Mapping[PolicyName, PolicyName],
    harm: float,
) -> Verdict:
    """Whether each winner's final regret is below each loser's on every instance, and each policy
    {changed: original} of `instead_of` does no harm.

    Harm is a regret that is larger by the share `harm` or more; a smaller rise is a remark.
    """
    instances = _instances(bands)
    at = intervals.joint(level, len(instances) * (len(winners) * len(losers) + len(instead_of)))
    finals = Finals(bands, labels, at)
    cells = itertools.product(instances, winners, losers)
    duels = [finals.ratio(*cell, most=1.0) for cell in cells]

    def changes(most: float) -> list[Part]:
        pairs = itertools.product(instances, instead_of.items())
        return [finals.ratio(i, changed, original, most=most) for i, (changed, original) in pairs]

    spared, remarks = changes(1 + harm), changes(1.0)
    worst = formats.number(max(part.estimate.value for part in duels))
    summary = f"on {len(instances)} instances the winners have at most {worst} times the regret of "
    summary += "the losers"
    for k, (changed, original) in enumerate(instead_of.items()):
        span = _span(part.estimate.value for part in spared[k :: len(instead_of)])
        summary += f", and {labels[changed]} has {span} times that of {labels[original]}"
    remark = f"a harm below {harm:.0%} is not ruled out"
    return verdicts.conclude(summary, Comparisons([*duels, *spared], remarks), remark)


def matrices_unimodal(cases: pd.DataFrame, level: float, *, risk: float) -> Verdict:
    """Whether every matrix with u > 0 or v > 0 is unimodal by paths of at most two steps, and no
    matrix with zeros in both vectors is: the cases are those of `counterexamples.unimodality`.

    One counterexample refutes it. Without any, the interval for their share must end below `risk`,
    and some matrix without the condition must have been tried.
    """
    covered, rest = cases[cases["positive"]], cases[~cases["positive"]]
    broken = int((~covered["unimodal"] | ~(covered["longest"] <= 2)).sum())
    lucky = int(rest["unimodal"].sum())
    summary = (
        f"{broken:,} of {len(covered):,} random matrices with u > 0 or v > 0 have an arm without "
        f"an increasing path of at most 2 steps, and {lucky:,} of {len(rest):,} with zeros in both "
        "u and v are unimodal"
    )
    share = intervals.of_share(broken, len(covered), level)
    return _without_exception(
        summary,
        Part("share of matrices with u > 0 or v > 0 that are not unimodal", share, most=risk),
        never=[
            _counted("matrices with u > 0 or v > 0 that are not unimodal", broken, most=0),
            _counted("unimodal matrices with zeros in both u and v", lucky, most=0),
        ],
        control=_counted("matrices with zeros in both u and v", len(rest), least=1),
    )


def leader_explored(cases: pd.DataFrame, level: float, *, risk: float) -> Verdict:
    """Whether N_k(t) >= floor(l_k(t) / gamma) at all times and for all arms: the cases are those of
    `counterexamples.leader_exploration`.

    One run that breaks it refutes it. Without any, the interval for their share must end below
    `risk`, and some run whose leader is never forced must break it: otherwise the runs could not
    have shown a difference.
    """
    forced, free = cases[cases["forced"]], cases[~cases["forced"]]
    broken, control = int((forced["slack"] < 0).sum()), int((free["slack"] < 0).sum())
    summary = (
        f"{broken:,} of {len(forced):,} runs of UTS with leader exploration break it at some time "
        f"for some arm (least N_k - floor(l_k / γ): {int(forced['slack'].min())}), against "
        f"{control:,} of {len(free):,} runs without (least: {int(free['slack'].min())})"
    )
    share = intervals.of_share(broken, len(forced), level)
    return _without_exception(
        summary,
        Part("share of runs with leader exploration that break it", share, most=risk),
        never=[_counted("runs with leader exploration that break it", broken, most=0)],
        control=_counted("runs without leader exploration that break it", control, least=1),
    )


def _without_exception(summary: str, share: Part, never: Sequence[Part], control: Part) -> Verdict:
    """The verdict on a statement without exception: no case may be against it, and the interval for
    their share says how rare such cases must be to have been missed."""
    comparisons = Comparisons([share, *never], (), [control])
    verdict, part = verdicts.judge(comparisons)
    reason = f"{summary[0].upper()}{summary[1:]}."
    return Verdict(verdict, share if verdict == HOLDS else part, reason, comparisons)


def _counted(what: str, count: int, **limits: float) -> Part:
    return Part(what, Interval(count, count, count), **limits)


def _instances(bands: pd.DataFrame) -> list[str]:
    """The names of the instances, in the order of the studies."""
    return list(dict.fromkeys(bands["instance"]))


class _Sloped(NamedTuple):
    """The slopes of a policy on an instance, and the constant that they should tend to."""

    instance: str
    policy: str
    constant: float
    early: pd.Series  # the last window but one
    late: pd.Series  # the last window


def _sloped(slopes: pd.DataFrame, constants: pd.Series, policies: Sequence[str]) -> list[_Sloped]:
    """The policies on every instance where they have slopes, each with the instance's constant."""
    known = list(dict.fromkeys(slopes["policy"]))
    if missing := [policy for policy in policies if policy not in known]:
        raise ValueError(f"{missing[0]!r} has no slopes; allowed: {', '.join(known)}.")
    cells = []
    for key, rows in slopes.groupby(["instance", "policy"], sort=False):
        instance, policy = map(str, key)
        if policy in policies:
            if len(rows) < 2:
                raise ValueError(
                    f"the slopes of {policy} on {instance} have {len(rows)} window; "
                    "allowed: at least two windows."
                )
            ends = rows.iloc[-2], rows.iloc[-1]
            cells.append(_Sloped(instance, policy, float(constants[instance]), *ends))
    return cells


def _share(cell: _Sloped, column: str, level: float) -> Interval:
    """A slope of the last window as a multiple of the constant."""
    row = cell.late
    mean = Mean(row[column] / cell.constant, row[f"{column}_se"] / cell.constant, int(row["runs"]))
    return intervals.of_mean(mean, level)


def _towards(cell: _Sloped, level: float) -> Interval:
    """How much nearer the slope has come to the constant, paired inside each run.

    On the same side of it that is the change; across it |early - 1| - |late - 1| = 2 - early - late
    in multiples of the constant, if it came from below.
    """
    rising = cell.early["slope"] < cell.constant
    if rising == (cell.late["slope"] < cell.constant):
        value, low, high = _share(cell, "change", level)
    else:
        value, low, high = (2 - x for x in _share(cell, "sum", level))
        low, high = high, low
    return Interval(value, low, high) if rising else Interval(-value, -high, -low)


def _span(values: Iterable[float]) -> str:
    """The least and the largest of some values."""
    found = list(values)
    return f"{formats.number(min(found))} to {formats.number(max(found))}"

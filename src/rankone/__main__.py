"""The command line: `python -m rankone simulate uts --u .75,.25*3 --v .6,.3 --gamma 2 ...`."""

import argparse
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from rankone.instances import Instance, graph, rank_one
from rankone.runs import Runs, save
from rankone.simulation import load, names, resolve, simulate


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options, rest = parser.parse_known_args(arguments)
    try:
        if options.command == "compile":
            if rest:
                raise ValueError(f"compile takes no option {rest[0]!r}; allowed: --plain.")
            compile_policy(options.policy, _exactness(options))
        else:
            _simulate(options, rest)
    except ValueError as error:
        print(f"rankone: {error}", file=sys.stderr)
        return 2
    return 0


def compile_policy(policy: str, exact: str) -> None:
    """Play one short run, so that the compiled policy is in the cache for every later process."""
    instance = rank_one([0.75, 0.25], [0.75, 0.25])
    if getattr(load(policy), "supports", lambda instance: "")(instance):
        instance = graph([0.75, 0.25], [(0, 1)])
    simulate(policy, instance, horizon=10, runs=1, exact=exact)


def _simulate(options: argparse.Namespace, rest: list[str]) -> None:
    instance = _instance(options)
    if options.horizon is None:
        raise ValueError("--horizon is missing; allowed: a whole number of at least 1.")
    result = simulate(
        options.policy,
        instance,
        options.horizon,
        options.runs,
        options.seed,
        first_run=options.first_run,
        checkpoints=_rounds(options.checkpoints) if options.checkpoints else None,
        exact=_exactness(options),
        **_parameters(options.policy, rest),
    )
    if options.out:
        try:
            save(result, options.out)
        except OSError as error:
            raise ValueError(f"--out is {options.out}; not writable: {error.strerror}.") from None
    else:
        _print(result)


def _print(runs: Runs) -> None:
    count = len(runs.regret)
    print(f"{'round':>15} {'mean regret':>14} {'std. error':>12} {'p10':>12} {'p90':>12}")
    for t in _readable(runs.checkpoints):
        regret = runs.regret[:, np.searchsorted(runs.checkpoints, t)]
        error = regret.std(ddof=1) / math.sqrt(count) if count > 1 else math.nan
        low, high = np.percentile(regret, [10, 90])
        print(f"{t:>15,} {regret.mean():>14.3f} {error:>12.3f} {low:>12.3f} {high:>12.3f}")


def _readable(checkpoints: np.ndarray) -> list[int]:
    """The powers of ten and the horizon: few enough lines for a terminal."""
    powers = [t for t in checkpoints.tolist() if t >= 10 and t == 10 ** round(math.log10(t))]
    return sorted({*powers, int(checkpoints[-1])})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rankone", description="Simulate rank-one bandits.")
    commands = parser.add_subparsers(dest="command", required=True)
    play = commands.add_parser(
        "simulate",
        help="play a policy on an instance",
        epilog="Any other option is a parameter of the policy: --gamma 2, --gamma inf, --c 0, ...",
        allow_abbrev=False,  # --c is a parameter of KL-UCB, not short for --checkpoints
    )
    play.add_argument("policy", help=f"one of {', '.join(names())}")
    play.add_argument("--u", help="row parameters: .75,.25,.25 or .75,.25*2")
    play.add_argument("--v", help="column parameters")
    play.add_argument("--means", help="means of the arms of a graph, instead of --u and --v")
    play.add_argument("--edges", help="edges of the graph: 0-1,1-2")
    play.add_argument("--horizon", type=_whole, help="rounds to play")
    play.add_argument("--runs", type=_whole, default=100)
    play.add_argument("--seed", type=_whole, default=1)
    play.add_argument("--first-run", type=_whole, default=0, help="number of the first run")
    play.add_argument("--checkpoints", help="rounds to record: 1000,1e4; a fine grid unless given")
    play.add_argument("--plain", action="store_true", help="round by round, as the paper writes it")
    play.add_argument("--out", type=Path, help="write the runs to this .npz instead of printing")
    warm = commands.add_parser("compile", help="compile a policy into the cache")
    warm.add_argument("policy")
    warm.add_argument("--plain", action="store_true")
    return parser


def _exactness(options: argparse.Namespace) -> str:
    return "plain" if options.plain else "fast"


def _whole(text: str) -> int:
    """A whole number, 300000, 300_000 or 3e5."""
    for kind in (int, float):  # int first: a float would round numbers beyond 2^53
        try:
            if kind(text) == int(kind(text)):
                return int(kind(text))
        except (ValueError, OverflowError):
            continue
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number like 300000 or 3e5.")


def _rounds(text: str) -> list[int]:
    """Whole numbers with commas between them."""
    try:
        return [_whole(item) for item in text.split(",")]
    except argparse.ArgumentTypeError:
        raise ValueError(
            f"--checkpoints is {text!r}; allowed: whole numbers like 1000,1e4."
        ) from None


def _vector(text: str, name: str) -> list[float]:
    """Numbers with commas between them; .25*3 stands for .25,.25,.25."""
    values: list[float] = []
    for item in text.split(","):
        number, _, times = item.partition("*")
        try:
            values += [float(number)] * (int(times) if times else 1)
        except (ValueError, MemoryError, OverflowError):
            raise ValueError(
                f"--{name} has the item {item!r}; allowed: numbers like .25, or .25*3."
            ) from None
    return values


def _instance(options: argparse.Namespace) -> Instance:
    if options.u and options.v and not options.means:
        return rank_one(_vector(options.u, "u"), _vector(options.v, "v"))
    if options.means and not (options.u or options.v):
        edges = []
        for item in filter(None, (options.edges or "").split(",")):
            a, _, b = item.partition("-")
            if not (a.isdecimal() and b.isdecimal()):
                raise ValueError(f"--edges has the item {item!r}; allowed: pairs like 0-1.")
            edges.append((int(a), int(b)))
        return graph(_vector(options.means, "means"), edges)
    raise ValueError("the instance is not clear; allowed: --u and --v, or --means and --edges.")


def _parameters(policy: str, rest: list[str]) -> dict[str, Any]:
    """The policy's own options: --gamma 2 --clock=global, checked against what it takes."""
    found: dict[str, Any] = {}
    words = [part for word in rest for part in word.split("=", 1)]
    for name, value in zip(words[::2], [*words[1::2], None], strict=False):
        if not name.startswith("--") or value is None:
            raise ValueError(f"{name!r} is not understood; allowed: --name value.")
        found[name[2:].replace("-", "_")] = _value(value)
    resolve(policy, found)
    return found


def _value(text: str) -> Any:
    """A parameter as typed: a truth value, a number (inf included), or a word."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


if __name__ == "__main__":
    sys.exit(main())

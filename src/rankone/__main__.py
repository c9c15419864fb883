"""The command line: `rankone simulate uts --u .75,.25*3 --v .6,.3 --horizon 3e5 --gamma 2`."""

import difflib
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

import rankone
from rankone import runs as files
from rankone.instances import Instance, graph, rank_one
from rankone.runs import Runs
from rankone.simulation import load, names, resolve, simulate

POLICY = "a policy: a name of `rankone policies`, or the path of a file (./mine.py)"
OWN = {"ignore_unknown_options": True, "allow_extra_args": True}  # options of the policy's own


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a mistake is one sentence and the exit code 2."""
    try:
        code = cli.main(args=arguments, prog_name="rankone", standalone_mode=False)
    except click.Abort:
        click.echo("rankone: interrupted; nothing was written.", err=True)
        return 130
    except click.NoSuchOption as error:
        near = f" Did you mean {error.possibilities[0]}?" if error.possibilities else ""
        return _refuse(f"there is no option {error.option_name}.{near}")
    except click.ClickException as error:
        return _refuse(error.format_message())
    except (ValueError, OSError) as error:
        return _refuse(str(error))
    return code if isinstance(code, int) else 0


def _refuse(sentence: str) -> int:
    click.echo(f"rankone: {sentence}", err=True)
    return 2


class Whole(click.ParamType[int]):
    """A whole number, 300000, 300_000 or 3e5."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        for kind in (int, float):  # int first: a float would round numbers beyond 2^53
            try:
                if kind(value) == int(kind(value)):
                    return int(kind(value))
            except (ValueError, OverflowError):
                continue
        raise click.UsageError(
            f"{param.opts[0]} is {value!r}; allowed: a whole number like 300000 or 3e5."
        )


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(rankone.__version__, prog_name="rankone")
def cli() -> None:
    """Bernoulli rank-one and unimodal bandits, simulated exactly and fast."""


def instance_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--u and --v, or --means and --edges."""
    for option in (
        click.option("--edges", help="Edges of the graph: 0-1,1-2."),
        click.option("--means", help="Means of the arms of a graph, instead of --u and --v."),
        click.option("--v", help="Column parameters."),
        click.option("--u", help="Row parameters: .75,.25,.25 or .75,.25*2."),
    ):
        command = option(command)
    return command


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How long, how often, from which seed."""
    for option in (
        click.option("--plain", is_flag=True, help="Round by round, as the papers write it."),
        click.option("--seed", type=Whole(), default=1, show_default=True),
        click.option("--runs", type=Whole(), default=100, show_default=True),
        click.option("--horizon", type=Whole(), help="Rounds to play: 300000 or 3e5."),
    ):
        command = option(command)
    return command


@cli.command("simulate", context_settings=OWN)
@click.argument("policy")
@instance_options
@run_options
@click.option("--first-run", type=Whole(), default=0, help="Number of the first run.")
@click.option("--checkpoints", help="Rounds to record: 1000,1e4; a fine grid unless given.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the runs to a .npz or .csv.")
@click.pass_context
def _simulate(context: click.Context, /, policy: str, **options: Any) -> None:
    """Play POLICY on an instance, and print its mean regret or write the runs to a file.

    Every other option is a parameter of the policy: --gamma 2, --gamma inf, --c 0, ...

    \b
    rankone simulate uts --u .75,.25*3 --v .6,.3 --horizon 3e5 --gamma 2
    rankone simulate ./mine.py --means .1,.5,.9 --edges 0-1,1-2 --horizon 1e12 --out runs.npz
    """
    name, parameters = _spelled(policy)
    parameters |= _parameters(name, context)
    out = options["out"]
    if out is not None and out.suffix not in (".npz", ".csv"):
        raise ValueError(f"--out is {out}; allowed: a file ending in .npz or .csv.")
    result = _play(name, parameters, options)
    if out is None:
        _print(result)
        return
    try:
        if out.suffix == ".csv":
            out.parent.mkdir(parents=True, exist_ok=True)
            result.to_frame().to_csv(out, index=False)
        else:
            files.save(result, out)
    except OSError as error:
        raise ValueError(f"--out is {out}; not writable: {error.strerror}.") from None
    rounds = int(result.checkpoints[-1])
    click.echo(f"{len(result):,} runs of {rounds:,} rounds are in {out}.")


@cli.command("compare")
@click.argument("one")
@click.argument("other")
@instance_options
@run_options
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
def _compare(one: str, other: str, level: float, **options: Any) -> None:
    """Compare the mean regret of two policies: difference and ratio with intervals.

    A policy's parameters follow its name: uts:gamma=5 or osub:c=0,clock=global.

    \b
    rankone compare uts:gamma=2 uts:gamma=inf --u .75,.25*3 --v .75,.25*3 --horizon 3e5 --runs 1000
    """
    played = [_play(*_spelled(policy), options) for policy in (one, other)]
    for policy, result in zip((one, other), played, strict=True):
        mean, error = result.regret[:, -1].mean(), _error(result.regret[:, -1])
        click.echo(f"{policy:<30} {mean:>12.3f} +- {error:.3f}")
    click.echo(str(rankone.compare(*played, level=level)))


@cli.command("bound")
@instance_options
@click.option("--horizon", type=Whole(), help="Also the bounds' values at this round.")
def _bound(horizon: int | None, **options: Any) -> None:
    """The lower bounds on the regret of an instance: constants times ln T.

    \b
    rankone bound --u .75,.25*3 --v .75,.25*3 --horizon 3e5
    """
    constants = rankone.theory.constants(_instance(options))
    words = {"unimodal": "knowing the graph", "lai_robbins": "blind to it (Lai and Robbins)"}
    for name, constant in constants.items():
        value = f" = {constant * math.log(horizon):.4f} at T = {horizon:,}" if horizon else ""
        click.echo(f"{words[name]:<30} {constant:.6f} ln T{value}")


@cli.command("policies")
def _policies() -> None:
    """List the policies with their parameters, defaults and references."""
    for name in names():
        policy = load(name)
        given = ", ".join(f"{p.name}={p.default}" for p in policy.known)
        reference = policy.about.splitlines()[0]
        click.echo(f"{name}({given})\n    {reference}")


@cli.command("check", context_settings=OWN)
@click.argument("policy")
@click.pass_context
def _check(context: click.Context, /, policy: str) -> None:
    """Check POLICY against the contract: shapes, seeds, what it declares, plain against fast.

    Every other option is a parameter of the policy. The exit code is 1 if something fails.

    \b
    rankone check ./mine.py
    rankone check uts --gamma inf
    """
    from rankone import contract

    name, parameters = _spelled(policy)
    failed = 0
    for finding in contract.check(name, **(parameters | _parameters(name, context))):
        click.echo(str(finding))
        failed += finding.passed is False
    if failed:
        raise click.exceptions.Exit(1)


@cli.command("compile")
@click.argument("policy")
@click.option("--plain", is_flag=True, help="The plain version, instead of the fast one.")
def _compile(policy: str, plain: bool) -> None:
    """Compile POLICY into the cache, so that every later process finds it there."""
    compile_policy(policy, "plain" if plain else "fast")


def compile_policy(policy: str, exact: str) -> None:
    """Play one short run."""
    instance = rank_one([0.75, 0.25], [0.75, 0.25])
    if load(policy).supports(instance):
        instance = graph([0.75, 0.25], [(0, 1)])
    simulate(policy, instance, horizon=10, runs=1, exact=exact)


def _play(policy: str, parameters: dict[str, Any], options: dict[str, Any]) -> Runs:
    """The runs that the options ask for."""
    if options["horizon"] is None:
        raise ValueError("--horizon is missing; allowed: a whole number of at least 1.")
    more = {key: options[key] for key in ("first_run",) if key in options}
    if out := options.get("out"):
        more["keep"] = out.with_name(out.name + ".partial")
    if options.get("checkpoints"):
        more["checkpoints"] = _rounds(options["checkpoints"])
    return simulate(
        policy,
        _instance(options),
        options["horizon"],
        options["runs"],
        options["seed"],
        exact="plain" if options["plain"] else "fast",
        **more,
        **parameters,
    )


def _print(runs: Runs) -> None:
    click.echo(f"{'round':>15} {'mean regret':>14} {'std. error':>12} {'p10':>12} {'p90':>12}")
    for t in _readable(runs.checkpoints):
        regret = runs.at(t)
        low, high = np.percentile(regret, [10, 90])
        numbers = f"{regret.mean():>14.3f} {_error(regret):>12.3f} {low:>12.3f} {high:>12.3f}"
        click.echo(f"{t:>15,} {numbers}")


def _error(regret: np.ndarray) -> float:
    """The standard error of a mean; a single run has none."""
    count = len(regret)
    return float(regret.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan


def _readable(checkpoints: np.ndarray) -> list[int]:
    """The powers of ten and the horizon: few enough lines for a terminal."""
    powers = [t for t in checkpoints.tolist() if t >= 10 and t == 10 ** round(math.log10(t))]
    return sorted({*powers, int(checkpoints[-1])})


def _rounds(text: str) -> list[int]:
    """Whole numbers with commas between them."""
    option = click.Option(["--checkpoints"])
    try:
        return [Whole().convert(item, option, None) for item in text.split(",")]
    except click.UsageError:
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


def _instance(options: dict[str, Any]) -> Instance:
    u, v, means = options["u"], options["v"], options["means"]
    if u and v and not means:
        return rank_one(_vector(u, "u"), _vector(v, "v"))
    if means and not (u or v):
        edges = []
        for item in filter(None, (options["edges"] or "").split(",")):
            a, _, b = item.partition("-")
            if not (a.isdecimal() and b.isdecimal()):
                raise ValueError(f"--edges has the item {item!r}; allowed: pairs like 0-1.")
            edges.append((int(a), int(b)))
        return graph(_vector(means, "means"), edges)
    raise ValueError("the instance is not clear; allowed: --u and --v, or --means and --edges.")


def _spelled(policy: str) -> tuple[str, dict[str, Any]]:
    """A policy with parameters behind its name: uts:gamma=5,warm_up=false."""
    name, _, text = policy.partition(":")
    found: dict[str, Any] = {}
    for item in filter(None, text.split(",")):
        key, equals, value = item.partition("=")
        if not equals:
            raise ValueError(f"{policy!r} has the item {item!r}; allowed: name=value, as gamma=5.")
        found[key.replace("-", "_")] = _value(value)
    resolve(name, found)
    return name, found


def _parameters(policy: str, context: click.Context) -> dict[str, Any]:
    """The policy's own options: --gamma 2 --clock=global, checked against what it takes."""
    found: dict[str, Any] = {}
    words = [part for word in context.args for part in word.split("=", 1)]
    for name, value in zip(words[::2], [*words[1::2], None], strict=False):
        if not name.startswith("--") or value is None:
            raise ValueError(f"{name!r} is not understood; allowed: --name value.")
        found[name[2:].replace("-", "_")] = _value(value)
    known = resolve(policy, {})
    for name in found:
        if name not in known:
            options = [*(o for p in context.command.params for o in p.opts if o[:2] == "--")]
            options += [f"--{parameter.replace('_', '-')}" for parameter in known]
            typed = f"--{name.replace('_', '-')}"
            near = difflib.get_close_matches(typed, options, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            own = ", ".join(known) or "none"
            raise ValueError(f"there is no option {typed}; {policy} has: {own}.{hint}")
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

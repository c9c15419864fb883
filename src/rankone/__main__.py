"""The command line: `rankone simulate uts --u .75,.25*3 --v .6,.3 --horizon 3e5 --gamma 2`."""

import contextlib
import difflib
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

import rankone
from rankone import entries
from rankone.engine import sources
from rankone.engine.parameters import (
    is_text,
    of_file,
    one_sentence,
    positive,
    require_memory,
    shown,
)
from rankone.entries import GRAPHS
from rankone.instances import Instance, graph, rank_one, why_not_unimodal
from rankone.runs import Runs
from rankone.simulation import load, names, resolve, simulate

OWN = {"ignore_unknown_options": True, "allow_extra_args": True}  # options of the policy's own


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a mistake is one sentence and the exit code 2."""
    arguments = sys.argv[1:] if arguments is None else arguments
    for word in arguments:
        if not is_text(word):
            return _refuse(f"{shown(word)} is typed; allowed: text in UTF-8.")
    try:
        code = cli.main(args=arguments, prog_name="rankone", standalone_mode=False)
    except click.Abort:
        click.echo("rankone: interrupted; nothing was written.", err=True)
        return 130
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.NoSuchOption as error:
        near = f" Did you mean {error.possibilities[0]}?" if error.possibilities else ""
        return _refuse(f"there is no option {error.option_name}.{near}")
    except click.ClickException as error:
        told = " ".join(error.format_message().split())
        known = "allowed" in told  # else it is click's own, which says what is wrong
        return _refuse(told if known else f"{told.rstrip('.')}; allowed: what --help shows.")
    except ValueError as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(of_file(error))
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        return _refuse(f"there is not enough memory{reason}; fewer runs at a time need less.")
    return code if isinstance(code, int) else 0


def _refuse(sentence: str) -> int:
    click.echo(f"rankone: {one_sentence(sentence)}", err=True)
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
            f"{param.opts[0]} is {shown(value)}; allowed: a whole number like 300000 or 3e5."
        )


class Number(click.ParamType[float]):
    """A number above 0 that is not infinite."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        try:
            return positive(param.opts[0], float(value))
        except ValueError:
            raise click.UsageError(
                f"{param.opts[0]} is {shown(value)}; allowed: a number above 0."
            ) from None


class PolicyName(click.ParamType[str]):
    """A policy; a shell completes the names of the package's."""

    name = "policy"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        known = [CompletionItem(name) for name in sources.policies() if name.startswith(incomplete)]
        return known or [CompletionItem(incomplete, type="file")]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(rankone.__version__, prog_name="rankone")
def cli() -> None:
    """Bernoulli rank-one and unimodal bandits, simulated exactly and fast.

    \b
    rankone policies
    rankone plot uts osub kl_ucb --u .75,.25*3 --v .75,.25*3 --horizon 3e5 --out regret.png

    Each command has examples: rankone plot --help. For completion by the TAB key in bash:
    eval "$(_RANKONE_COMPLETE=bash_source rankone)"; with zsh_source or fish_source elsewhere.
    """


def instance_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """One form of an instance: see rankone/entries.py."""
    for option in (
        click.option("--not-unimodal", is_flag=True, help="Play even if it is not unimodal."),
        click.option("--instance-seed", type=Whole(), help="With --random: which one."),
        click.option("--random", help="A random tree by its arms, 20; or a graph, 20,30 edges."),
        click.option("--csv", help="A file: a matrix, a graph or a click log; or example_clicks."),
        click.option("--graph", help=f"Instead of --edges: {', '.join(GRAPHS)}."),
        click.option("--edges", help="Edges of the graph: 0-1,1-2."),
        click.option("--means", help="Means of the arms of a graph, with --edges or --graph."),
        click.option("--factor", multiple=True, help="A factor of a tensor; once for each."),
        click.option("--v", help="Column parameters."),
        click.option("--u", help="Row parameters: .75,.25,.25 or .75,.25*2."),
    ):
        command = option(command)
    return command


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How long, how often, from which seed."""
    for option in (
        click.option("--quiet", "-q", is_flag=True, help="Show no progress."),
        click.option("--plain", is_flag=True, help="Round by round, as the papers write it."),
        click.option(
            "--cores", type=Whole(), default=1, show_default=True, help="They change no number."
        ),
        click.option(
            "--seed", type=Whole(), default=1, show_default=True, help="Of all randomness."
        ),
        click.option(
            "--runs", type=Whole(), default=100, show_default=True, help="Independent runs."
        ),
        click.option("--horizon", type=Whole(), help="Rounds to play: 300000 or 3e5."),
    ):
        command = option(command)
    return command


@cli.command("simulate", context_settings=OWN)
@click.argument("policy", type=PolicyName())
@instance_options
@run_options
@click.option(
    "--first-run", type=Whole(), default=0, show_default=True, help="Number of the first run."
)
@click.option("--checkpoints", help="Rounds to record: 1000,1e4; a fine grid unless given.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the runs to a .npz or .csv.")
@click.pass_context
def _simulate(context: click.Context, /, policy: str, **options: Any) -> None:
    """Play POLICY on an instance: print or write its regret.

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
    with _writing(out):
        if out.suffix == ".csv":
            result.to_frame().to_csv(out, index=False)
        else:
            result.save(out)
    rounds = int(result.checkpoints[-1])
    click.echo(f"{len(result):,} runs of {rounds:,} rounds are in {out}.")


@contextlib.contextmanager
def _writing(out: Path) -> Iterator[None]:
    """A file that cannot be written is a mistake of the user's."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise ValueError(f"--out is {out}; not writable: {error.strerror}.") from None


@cli.command("plot")
@click.argument("policies", nargs=-1, required=True, type=PolicyName(), metavar="POLICY...")
@instance_options
@run_options
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("regret.png"),
    show_default=True,
    help="A .png, .svg or .pdf.",
)
@click.option("--bound/--no-bound", default=True, show_default=True, help="Draw the lower bound.")
@click.option("--linear", is_flag=True, help="A linear time axis, instead of a log one.")
@click.option("--title", default="", help="Above the picture.")
def _plot(policies: tuple[str, ...], **options: Any) -> None:
    """Draw the regret of policies on an instance to a file.

    A policy's parameters follow its name: uts:gamma=5 or osub:c=0,clock=global.

    \b
    rankone plot uts osub kl_ucb --u .75,.25*3 --v .6,.3 --horizon 3e5 --out regret.png
    rankone plot uts:gamma=2 uts:gamma=inf ./mine.py --means .1,.5,.9 --edges 0-1,1-2 --horizon 1e9
    """
    out = options.pop("out")
    if out.suffix not in (".png", ".svg", ".pdf"):
        raise ValueError(f"--out is {out}; allowed: a file ending in .png, .svg or .pdf.")
    played = [_play(*_spelled(policy), options) for policy in policies]
    figure = rankone.plot(
        *played, bound=options["bound"], log=not options["linear"], title=options["title"]
    )
    with _writing(out):
        figure.savefig(out)
    rounds = int(played[0].checkpoints[-1])
    click.echo(f"The regret of {', '.join(policies)} over {rounds:,} rounds is drawn in {out}.")


@cli.command("compare")
@click.argument("one", type=PolicyName())
@click.argument("other", type=PolicyName())
@instance_options
@run_options
@click.option("--level", type=Number(), default=0.95, show_default=True, help="Of the intervals.")
def _compare(one: str, other: str, level: float, **options: Any) -> None:
    """Compare the regret of two policies, with intervals.

    Told are the difference and the ratio of their mean regrets at the horizon.

    A policy's parameters follow its name: uts:gamma=5 or osub:c=0,clock=global.

    \b
    rankone compare uts:gamma=2 uts:gamma=inf --u .75,.25*3 --v .75,.25*3 --horizon 3e5 --runs 1000
    """
    played = [_play(*_spelled(policy), options) for policy in (one, other)]
    for policy, result in zip((one, other), played, strict=True):
        last = result.summary().iloc[-1]
        click.echo(f"{policy:<30} {last['mean']:>12.3f} +- {last['se']:.3f}")
    click.echo(str(rankone.compare(*played, level=level)))


@cli.command("bound")
@instance_options
@click.option("--horizon", type=Whole(), help="Also the bounds' values at this round.")
def _bound(horizon: int | None, **options: Any) -> None:
    """Tell the lower bounds on the regret of an instance.

    They are constants times ln T.

    \b
    rankone bound --u .75,.25*3 --v .75,.25*3 --horizon 3e5
    """
    if horizon is not None and horizon < 1:
        raise ValueError(f"--horizon is {horizon}; allowed: a whole number of at least 1.")
    constants = rankone.theory.constants(_instance(options))
    words = {"unimodal": "knowing the graph", "lai_robbins": "blind to it (Lai and Robbins)"}
    for name, constant in constants.items():
        value = f" = {constant * math.log(horizon):.4f} at T = {horizon:,}" if horizon else ""
        click.echo(f"{words[name]:<30} {constant:.6f} ln T{value}")


@cli.command("clicks")
@click.argument("log")
def _clicks(log: str) -> None:
    """Fit a position-based model to a click log.

    Its parameters are printed with standard errors, and how well it fits.

    LOG is a CSV file with the columns item, position, click; or item, position, shown, clicks; or
    the word example_clicks. `--csv LOG` plays on the fitted model.

    \b
    rankone clicks example_clicks
    rankone simulate uts --csv example_clicks --horizon 3e5
    """
    click.echo(str(rankone.fit_clicks(log)))


@cli.command("policies")
def _policies() -> None:
    """List the policies, their parameters and references.

    \b
    rankone policies
    """
    for name in names():
        policy = load(name)
        given = ", ".join(f"{p.name}={p.default}" for p in policy.known)
        reference = policy.about.splitlines()[0]
        click.echo(f"{name}({given})\n    {reference}")


@cli.command("check", context_settings=OWN)
@click.argument("policy", type=PolicyName())
@click.option(
    "--patience",
    type=Number(),
    default=120,
    show_default=True,
    help="Seconds without a finding after which the policy is said not to end.",
)
@click.option("--unwatched", is_flag=True, hidden=True)  # how this command calls itself
@click.pass_context
def _check(context: click.Context, /, policy: str, patience: float, unwatched: bool) -> None:
    """Check POLICY against the contract.

    Shapes, seeds, what it declares, plain against fast. Every other option is a parameter of the
    policy. The exit code is 1 if something fails. The policy plays in a process of its own: one
    that does not end, or takes Python with it, is found.

    \b
    rankone check ./mine.py
    rankone check uts --gamma inf
    """
    from rankone import contract

    if not unwatched:
        words = ["check", "--unwatched", policy, *context.args]
        raise click.exceptions.Exit(contract.watch(words, patience, click.echo))
    contract.limit_memory()
    name, parameters = _spelled(policy)
    failed = 0
    for finding in contract.check(name, **(parameters | _parameters(name, context))):
        click.echo(str(finding))
        failed += finding.passed is False
    if failed:
        raise click.exceptions.Exit(1)


@cli.command("compile")
@click.argument("policy", type=PolicyName())
@click.option("--plain", is_flag=True, help="The plain version, instead of the fast one.")
def _compile(policy: str, plain: bool) -> None:
    """Compile POLICY into the cache.

    Every later process finds it there.

    \b
    rankone compile uts
    """
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
        cores=options["cores"],
        progress=False if options["quiet"] else None,
        **more,
        **parameters,
    )


def _print(runs: Runs) -> None:
    click.echo(f"{'round':>15} {'mean regret':>14} {'std. error':>12} {'p10':>12} {'p90':>12}")
    for t, row in runs.summary().iterrows():
        numbers = " ".join(f"{row[name]:>12.3f}" for name in ("se", "p10", "p90"))
        click.echo(f"{t:>15,} {row['mean']:>14.3f} {numbers}")


def _rounds(text: str, name: str = "checkpoints") -> list[int]:
    """Whole numbers with commas between them."""
    option = click.Option([f"--{name}"])
    try:
        return [Whole().convert(item, option, None) for item in text.split(",")]
    except click.UsageError:
        raise ValueError(
            f"--{name} is {shown(text)}; allowed: whole numbers like 1000,1e4."
        ) from None


def _vector(text: str, name: str) -> list[float]:
    """Numbers with commas between them; .25*3 stands for .25,.25,.25."""
    values: list[float] = []
    for item in text.split(","):
        number, _, times = item.partition("*")
        try:
            value, count = float(number), int(times) if times else 1
        except ValueError:
            raise ValueError(
                f"--{name} has the item {shown(item)}; allowed: numbers like .25, or .25*3."
            ) from None
        require_memory(f"--{name} with the item {shown(item)}", count)
        values += [value] * count
    return values


def _instance(options: dict[str, Any]) -> Instance:
    """The instance that the options describe."""
    entry: dict[str, Any] = {key: _vector(options[key], key) for key in ("u", "v") if options[key]}
    if options["factor"]:
        entry["factors"] = [_vector(text, "factor") for text in options["factor"]]
    if options["means"]:
        entry["means"] = _vector(options["means"], "means")
    if options["edges"] is not None or (options["means"] and not options["graph"]):
        entry["edges"] = _edges(options["edges"] or "")
    entry |= {key: options[key] for key in ("graph", "csv") if options[key]}
    if options["random"]:
        sizes = _rounds(options["random"], "random")
        if len(sizes) > 2:
            raise ValueError(f"--random is {shown(options['random'])}; allowed: 20, or 20,30.")
        entry["random"] = dict(zip(("arms", "edges"), sizes, strict=False))
        entry["random"]["seed"] = options["instance_seed"] or 0
    try:
        entries.form(entry)
    except ValueError:
        raise ValueError(
            "the instance is not clear; allowed: --u and --v, --factor several times, --means and "
            "--edges or --graph, --csv, or --random."
        ) from None
    if options["random"]:
        return entries.build(entry)
    made = entries.build(entry | {"unimodal": False})
    if not options["not_unimodal"] and (reason := why_not_unimodal(made)):
        raise ValueError(f"{reason}, or --not-unimodal, if this is meant.")
    return made


def _edges(text: str) -> list[tuple[int, int]]:
    """Pairs of arms: 0-1,1-2."""
    edges = []
    for item in filter(None, text.split(",")):
        a, _, b = item.partition("-")
        try:
            if not (a.isdecimal() and b.isdecimal()):
                raise ValueError
            edges.append((int(a), int(b)))
        except ValueError:  # from Python, too: more digits than it reads
            raise ValueError(
                f"--edges has the item {shown(item)}; allowed: pairs like 0-1."
            ) from None
    return edges


def _spelled(policy: str) -> tuple[str, dict[str, Any]]:
    """A policy with parameters behind its name: uts:gamma=5,warm_up=false."""
    name, _, text = policy.partition(":")
    found: dict[str, Any] = {}
    for item in filter(None, text.split(",")):
        key, equals, value = item.partition("=")
        if not equals:
            raise ValueError(
                f"{shown(policy)} has the item {shown(item)}; allowed: name=value, as gamma=5."
            )
        found[key.replace("-", "_")] = _value(value)
    resolve(name, found)
    return name, found


def _parameters(policy: str, context: click.Context) -> dict[str, Any]:
    """The policy's own options: --gamma 2 --clock=global, checked against what it takes."""
    found: dict[str, Any] = {}
    words = [part for word in context.args for part in word.split("=", 1)]
    for name, value in zip(words[::2], [*words[1::2], None], strict=False):
        if not name.startswith("--") or value is None:
            raise ValueError(f"{shown(name)} is not understood; allowed: --name value.")
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

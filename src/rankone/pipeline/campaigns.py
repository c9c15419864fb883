"""Campaigns: config files read, checked, and spelled out into the cells to simulate.

A campaign is one YAML file: instances, policies, and studies that play policies on instances.
Every mistake is a ConfigError: one sentence with the file, the key, its value and what is allowed.
Nothing here imports Numba: Snakemake reads the configs each time it starts.
"""

import itertools
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import yaml  # type: ignore[import-untyped]

import rankone
from rankone.engine import sources

# What a figure or table must say, and what it may. A kind is a function, and a script of its name.
KINDS: dict[str, dict[str, tuple[set[str], set[str]]]] = {
    "figures": {
        "figure1": ({"instance", "arm"}, set()),
        "figure2": ({"study", "instance"}, set()),
        "comparison": ({"study"}, {"instances", "omit"}),
        "figure4": ({"study", "instance"}, {"omit"}),
    },
    "tables": {
        "final_regret": ({"study"}, {"instances", "omit"}),
        "lower_bounds": ({"study"}, {"instances"}),
        "growth": ({"study"}, {"instances", "omit"}),
        "ratio_to": ({"study", "reference"}, {"instances", "omit"}),
    },
}


class ConfigError(ValueError):
    """A mistake in a config file, as one sentence for its author."""


@dataclass(frozen=True)
class Instance:
    """Where the policies play: u and v of a rank-one matrix, or means and edges of a graph."""

    name: str
    label: str
    u: tuple[float, ...] = ()
    v: tuple[float, ...] = ()
    means: tuple[float, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    published: tuple[str, ...] = ()  # experiments in published.csv that used it

    @property
    def arms(self) -> int:
        return len(self.means) or len(self.u) * len(self.v)

    def entry(self) -> dict[str, Any]:
        """The instance as plain data, for the scripts; `build` makes it playable."""
        entry = {key: value for key, value in asdict(self).items() if value}
        return entry | ({"shape": (len(self.u), len(self.v))} if self.u else {})

    def arguments(self) -> str:
        """The instance on the command line of `python -m rankone simulate`."""
        if self.means:
            edges = ",".join(f"{a}-{b}" for a, b in self.edges)
            return f"--means {_run_lengths(self.means)}" + (f" --edges {edges}" if edges else "")
        return f"--u {_run_lengths(self.u)} --v {_run_lengths(self.v)}"


@dataclass(frozen=True)
class Policy:
    """A policy's file with its parameters, under the name and label of one curve."""

    name: str
    policy: str
    label: str
    parameters: dict[str, Any] = field(default_factory=dict)
    studies: tuple[str, ...] = ()  # empty: every comparison
    draw: bool = True
    published: str = ""  # its name in published.csv

    def entry(self) -> dict[str, Any]:
        """The policy as plain data, for the scripts."""
        kept = ("name", "label", "draw", "published")
        return {key: value for key, value in asdict(self).items() if key in kept}

    def arguments(self) -> str:
        """The policy's parameters on the command line, in words that are safe in a shell."""
        words = ((key.replace("_", "-"), str(value)) for key, value in self.parameters.items())
        return " ".join(f"--{key} {shlex.quote(value)}" for key, value in words)


@dataclass(frozen=True)
class Study:
    """Policies played on instances, all with one horizon and one number of runs."""

    name: str
    horizon: int  # T
    runs: int
    batch: int  # runs a job
    instances: tuple[Instance, ...]
    policies: tuple[Policy, ...]
    fewer: dict[str, int] = field(default_factory=dict)  # runs of the policies that play fewer
    checkpoints: tuple[int, ...] = ()  # empty: the default grid

    def batches(self, policy: str = "") -> list[str]:
        """A policy's runs cut into jobs, each named by its first and last run: 0-99, 100-199."""
        runs = self.fewer.get(policy, self.runs)
        firsts = range(0, runs, self.batch)
        return [f"{first}-{min(first + self.batch, runs) - 1}" for first in firsts]

    def files(self) -> list[str]:
        """The files of runs that make up the study: instance/policy/batch."""
        return [
            f"{instance.name}/{policy.name}/{batch}"
            for instance, policy in itertools.product(self.instances, self.policies)
            for batch in self.batches(policy.name)
        ]


@dataclass(frozen=True)
class Campaign:
    """Everything one config file asks for."""

    name: str
    seed: int
    instances: dict[str, Instance]
    policies: dict[str, Policy]
    studies: dict[str, Study]
    figures: dict[str, dict[str, Any]]
    tables: dict[str, dict[str, Any]]
    claims: dict[str, Any] = field(default_factory=dict)  # how claims.py decides
    ensembles: dict[str, Any] = field(default_factory=dict)  # what ensembles.py plays

    def arguments(self, study: str, instance: str, policy: str) -> str:
        """What a job of `python -m rankone simulate` must know, save its runs and its output."""
        played, asked = self.policies[policy], self.studies[study]
        words = [
            played.policy,
            self.instances[instance].arguments(),
            f"--horizon {asked.horizon} --seed {self.seed}",
            f"--checkpoints {','.join(map(str, asked.checkpoints))}" if asked.checkpoints else "",
            played.arguments(),
        ]
        return " ".join(filter(None, words))

    def cells(self, study: str) -> list[dict[str, Any]]:
        """The cells of a study as plain data: instance, policy, and the files of their runs."""
        asked, folder = self.studies[study], f"results/{self.name}/runs/{study}"
        return [
            {
                "instance": instance.entry(),
                "policy": policy.entry(),
                "files": [
                    f"{folder}/{instance.name}/{policy.name}/{batch}.npz"
                    for batch in asked.batches(policy.name)
                ],
            }
            for instance, policy in itertools.product(asked.instances, asked.policies)
        ]

    def labels(self) -> dict[str, str]:
        """The labels of all policies and instances."""
        every: list[Policy | Instance] = [*self.policies.values(), *self.instances.values()]
        return {one.name: one.label for one in every}

    def parameter(self, name: str) -> dict[str, Any]:
        """The value of a parameter for every policy that is given one."""
        found = self.policies.values()
        return {one.name: one.parameters[name] for one in found if name in one.parameters}

    def output(self, sort: str, name: str) -> dict[str, Any]:
        """What a figure or table shows, as plain data: policies, instances and its own keys."""
        wanted: dict[str, Any] = getattr(self, sort)[name]
        study = self.studies[wanted["study"]] if "study" in wanted else None
        names = [instance.name for instance in study.instances] if study else []
        names = [wanted["instance"]] if "instance" in wanted else wanted.get("instances", names)
        return {
            **wanted,
            "policies": [policy.entry() for policy in study.policies] if study else [],
            "instances": [self.instances[name].entry() for name in names],
            "omit": wanted.get("omit", []),
            "horizon": study.horizon if study else 0,
        }


def build(entry: Mapping[str, Any]) -> "rankone.Instance":
    """The playable instance of an entry."""
    if "u" in entry:
        return rankone.rank_one(entry["u"], entry["v"])
    return rankone.graph(entry["means"], entry.get("edges", []))


def campaigns(folder: Path, schema: Path) -> dict[str, Campaign]:
    """Every config file of a folder, by its name without .yaml."""
    rules = yaml.safe_load(schema.read_text(encoding="utf-8"))
    return {file.stem: load(file, rules) for file in sorted(folder.glob("*.yaml"))}


def load(file: Path, schema: Mapping[str, Any]) -> Campaign:
    """Read one config file, check all of it, and spell it out."""
    return _load(file, schema, ())[1]


def _load(
    file: Path, schema: Mapping[str, Any], above: tuple[Path, ...]
) -> tuple[dict[str, Any], Campaign]:
    """The file merged into the one it is `like`, which is checked first and on its own."""
    where = f"{file.parent.name}/{file.name}"
    own = _read(file, where)
    like, every = own.pop("like", None), own.pop("every_study", {})
    content = own
    if like is not None:
        base = file.with_name(f"{like}.yaml")
        if not base.is_file() or base == file or base in above:
            others = sorted({f.stem for f in file.parent.glob("*.yaml")} - {file.stem})
            raise ConfigError(f"{where}: like is {like!r}; allowed: {', '.join(others)}.")
        below, _ = _load(base, schema, (*above, file))
        for study in below["studies"]:
            below["studies"][study] = _merge(below["studies"][study], every)
        content = _merge(below, own)
    elif every:
        raise ConfigError(f"{where}: every_study is given without like; allowed: both or none.")
    _validate(content, schema, where)
    return content, _spell_out(file.stem, content, where)


class _Loader(yaml.SafeLoader):
    """YAML that refuses a key given twice, where the standard loader silently takes the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                mark = node.start_mark
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} is given twice in the mapping that starts", mark
                )
        return super().construct_mapping(node, deep)


def _read(file: Path, where: str) -> dict[str, Any]:
    try:
        content = yaml.load(file.read_text(encoding="utf-8"), _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigError(f"{where} is not valid YAML: {error.problem}{place}.") from None
    if not isinstance(content, dict):
        raise ConfigError(
            f"{where} holds {content!r}; allowed: keys with values, as in paper.yaml."
        )
    return content


def _merge(below: Any, above: Any) -> Any:
    """Mappings are merged key by key; anything else from above replaces what is below."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    merged = {key: _merge(below[key], above[key]) for key in below.keys() & above.keys()}
    return {key: merged.get(key, value) for key, value in {**below, **above}.items()}


def _validate(content: dict[str, Any], schema: Mapping[str, Any], where: str) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    # the shortest path first, in the order of the file: the mistake nearest to what was typed
    errors = sorted(validator.iter_errors(content), key=lambda error: len(error.absolute_path))
    if errors:
        raise ConfigError(f"{where}: {_sentence(errors[0])}")


def _sentence(error: jsonschema.ValidationError) -> str:
    """A schema's complaint as one sentence; `description` says in the schema what is allowed."""
    key = _path(error.absolute_path)
    allowed = error.schema.get("description", "")
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        unknown = next(name for name in error.instance if name not in known)
        return f"{key or 'the file'} has the unknown key {unknown!r}; allowed: {', '.join(known)}."
    if error.validator == "required":
        missing = next(name for name in error.validator_value if name not in error.instance)
        return f"{key or 'the file'} lacks the key {missing!r}; allowed: {allowed}."
    if error.validator == "dependentRequired":
        return f"{key} has only the keys {', '.join(error.instance)}; allowed: {allowed}."
    if "propertyNames" in error.absolute_schema_path:
        return f"{key} has the key {error.instance!r}; allowed: {allowed}."
    return f"{key} is {error.instance!r}; allowed: {allowed}."


def _path(parts: Iterable[str | int]) -> str:
    """studies.regret.runs, instances.K4.u[2]"""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.removeprefix(".")


def _spell_out(name: str, content: dict[str, Any], where: str) -> Campaign:
    """The checked content as objects, with the checks that a schema cannot make."""
    instances = {key: _instance(key, value, where) for key, value in content["instances"].items()}
    policies = {key: _policy(key, value, where) for key, value in content["policies"].items()}
    studies = content["studies"]
    for policy in policies.values():
        _known(where, f"policies.{policy.name}.studies", policy.studies, studies)
    spelled = {
        key: _study(key, value, instances, policies.values(), where)
        for key, value in studies.items()
    }
    outputs = {
        sort: {key: {"kind": key, **value} for key, value in content.get(sort, {}).items()}
        for sort in KINDS
    }
    for sort, wanted in outputs.items():
        for key, value in wanted.items():
            _check_kind(f"{sort}.{key}", value, KINDS[sort], where)
            _check_content(f"{sort}.{key}", value, instances, spelled, where)
    more = {key: content.get(key, {}) for key in ("claims", "ensembles")}
    return Campaign(name, content["seed"], instances, policies, spelled, **outputs, **more)


def _instance(name: str, value: dict[str, Any], where: str) -> Instance:
    key = f"instances.{name}"
    label, published = value.get("label", name), tuple(value.get("published", ()))
    if ("u" in value) == ("means" in value):
        given = ", ".join(value)
        raise ConfigError(
            f"{where}: {key} has the keys {given}; allowed: u and v, or means and edges."
        )
    if "u" in value:
        u, v = _vector(value["u"]), _vector(value["v"])
        for letter, vector in (("u", u), ("v", v)):
            _unique_best(where, f"{key}.{letter}", vector)
        if max(u) * max(v) == 0 and len(u) * len(v) > 1:
            raise ConfigError(f"{where}: {key} has mean 0 on every arm; allowed: one best arm.")
        return Instance(name, label, u=u, v=v, published=published)
    means = tuple(map(float, value["means"]))
    _unique_best(where, f"{key}.means", means)
    for place, end in itertools.product(range(len(value["edges"])), (0, 1)):
        arm = value["edges"][place][end]
        if arm >= len(means):
            raise ConfigError(
                f"{where}: {key}.edges[{place}][{end}] is {arm}; allowed: 0 to {len(means) - 1}."
            )
    edges = tuple((a, b) for a, b in value["edges"])
    return Instance(name, label, means=means, edges=edges, published=published)


def _vector(value: list[float] | dict[str, Any]) -> tuple[float, ...]:
    """A list as it is, or {first, rest, size} spelled out."""
    if isinstance(value, dict):
        value = [value["first"], *[value["rest"]] * (value["size"] - 1)]
    return tuple(map(float, value))


def _unique_best(where: str, key: str, values: tuple[float, ...]) -> None:
    top = max(values)
    if values.count(top) > 1:
        raise ConfigError(
            f"{where}: {key} has its largest value {top:g} {values.count(top)} times; "
            "allowed: once, so that the best arm is unique."
        )


def _policy(name: str, value: dict[str, Any], where: str) -> Policy:
    file, given = value.get("policy", name), value.get("parameters", {})
    _known(where, f"policies.{name}.policy", [file], sources.policies())
    known = sources.parameters(file)
    for parameter in given:
        if parameter not in known:
            raise ConfigError(
                f"{where}: policies.{name}.parameters has the unknown key {parameter!r}; "
                f"allowed for {file}: {', '.join(known) or 'none'}."
            )
    rest = {key: value[key] for key in ("draw", "published") if key in value}
    studies = tuple(value.get("studies", ()))
    return Policy(name, file, value.get("label", name), given, studies, **rest)


def _study(
    name: str,
    value: dict[str, Any],
    instances: dict[str, Instance],
    policies: Iterable[Policy],
    where: str,
) -> Study:
    key = f"studies.{name}"
    _known(where, f"{key}.instances", value["instances"], instances)
    here = tuple(instances[instance] for instance in value["instances"])
    comparison = value.get("comparison", True)
    playing = tuple(p for p in policies if name in p.studies or (comparison and not p.studies))
    if not playing:
        raise ConfigError(
            f"{where}: {key} has no policy; allowed: a study that some policy names under studies."
        )
    largest = max(here, key=lambda instance: instance.arms)
    if value["horizon"] < largest.arms:
        raise ConfigError(
            f"{where}: {key}.horizon is {value['horizon']}; allowed: at least {largest.arms}, "
            f"a warm-up round for each arm of {largest.name}."
        )
    runs = int(value["runs"])  # a schema takes 100.0 for whole, range() does not
    batch = min(int(value.get("batch", runs)), runs)
    fewer, checkpoints = value.get("fewer", {}), tuple(map(int, value.get("checkpoints", ())))
    _known(where, f"{key}.fewer", fewer, [policy.name for policy in playing])
    increasing = all(a < b for a, b in itertools.pairwise(checkpoints))
    if checkpoints and not (increasing and checkpoints[-1] <= value["horizon"]):
        raise ConfigError(
            f"{where}: {key}.checkpoints is {list(checkpoints)}; allowed: increasing rounds up to "
            f"the horizon {value['horizon']}."
        )
    return Study(name, int(value["horizon"]), runs, batch, here, playing, fewer, checkpoints)


def _check_kind(
    key: str, value: dict[str, Any], kinds: Mapping[str, tuple[set[str], set[str]]], where: str
) -> None:
    """A figure or table must be of a kind that there is, with the keys of that kind."""
    _known(where, f"{key}.kind", [value["kind"]], kinds)
    needed, optional = kinds[value["kind"]]
    for name in sorted(needed - value.keys()):
        raise ConfigError(f"{where}: {key} lacks the key {name!r}; {value['kind']} needs it.")
    for name in value:
        allowed = ["kind", *sorted(needed | optional)]
        if name not in allowed:
            raise ConfigError(
                f"{where}: {key} has the unknown key {name!r}; "
                f"allowed for {value['kind']}: {', '.join(allowed)}."
            )


def _check_content(
    key: str,
    value: dict[str, Any],
    instances: dict[str, Instance],
    studies: dict[str, Study],
    where: str,
) -> None:
    """A figure or table must ask for studies, instances and policies that there are."""
    here, playing = list(instances), []
    if "study" in value:
        _known(where, f"{key}.study", [value["study"]], studies)
        study = studies[value["study"]]
        here = [instance.name for instance in study.instances]
        playing = [policy.name for policy in study.policies]
    for word, known in {"instance": here, "reference": playing}.items():
        _known(where, f"{key}.{word}", [value[word]] if word in value else [], known)
    for word, known in {"instances": here, "omit": playing}.items():
        _known(where, f"{key}.{word}", value.get(word, []), known)
    if "arm" in value:
        _check_arm(f"{key}.arm", value["arm"], instances[value["instance"]], where)


def _check_arm(key: str, arm: list[int], instance: Instance, where: str) -> None:
    rows, columns = len(instance.u), len(instance.v)
    if not (arm[0] <= rows and arm[1] <= columns):
        raise ConfigError(
            f"{where}: {key} is {arm!r}; allowed: up to [{rows}, {columns}], as {instance.name} "
            "is a matrix of that size."
        )


def _known(where: str, key: str, names: Iterable[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in known:
            raise ConfigError(f"{where}: {key} is {name!r}; allowed: {', '.join(known)}.")


def _run_lengths(values: Iterable[float]) -> str:
    """Numbers with commas between them, repeated ones as value*count: 0.75,0.25*127."""
    groups = ((value, len(list(group))) for value, group in itertools.groupby(values))
    return ",".join(f"{value!r}*{count}" if count > 1 else f"{value!r}" for value, count in groups)

"""Campaigns: config files spelled out into the cells to simulate and the outputs to make.

A campaign is one YAML file: instances, policies, studies that play policies on instances, and the
figures, tables, claims and experiments made from them. Every mistake is a ConfigError.
Nothing here imports Numba: Snakemake reads the configs each time it starts. `Campaign.check` does,
for what only the policies themselves know, before any job starts.
"""

import hashlib
import itertools
import json
import math
import os
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from rankone import entries
from rankone.engine import sources
from rankone.engine.parameters import require_memory, shown
from rankone.entries import build as build
from rankone.instances import why_not_unimodal
from rankone.pipeline import outputs, reading
from rankone.pipeline.reading import ConfigError as ConfigError
from rankone.runs import Batches

__all__ = [
    "Campaign",
    "Campaigns",
    "ConfigError",
    "Instance",
    "Policy",
    "Study",
    "build",
    "load",
    "open_cells",
]

LEVEL = 0.999  # of the intervals of a campaign that names no other
MOST_JOBS = 10_000  # of a policy on an instance: Snakemake takes a minute to plan as many


@dataclass(frozen=True)
class Instance:
    """Where the policies play: the vectors of a matrix or a tensor, or means on a graph."""

    name: str
    label: str
    u: tuple[float, ...] = ()
    v: tuple[float, ...] = ()
    factors: tuple[tuple[float, ...], ...] = ()
    means: tuple[float, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    graph: str = ""  # instead of edges: line, tree:3, product:4x4
    unimodal: bool = True  # False: it need not be
    published: tuple[str, ...] = ()  # experiments in published.csv that used it
    # {of, symbol, text}, if it is one of many
    sweep: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def arms(self) -> int:
        return entries.arms(self.bandit())

    def bandit(self) -> dict[str, Any]:
        """What `build` needs to make it playable."""
        keys = ("u", "v", "factors", "means", "edges", "graph")
        found = {key: getattr(self, key) for key in keys if getattr(self, key)}
        if self.means and not self.graph:
            found["edges"] = self.edges
        return found if self.unimodal else found | {"unimodal": False}

    def entry(self) -> dict[str, Any]:
        """The instance as plain data, for the scripts; `build` makes it playable.

        `shape` is that of a matrix: rows and columns.
        """
        told = {"name": self.name, "label": self.label, "published": self.published}
        found = {key: value for key, value in told.items() if value} | self.bandit()
        found["arms"] = self.arms
        sizes = entries.shape(found)
        if sizes and len(sizes) == 2:
            found["shape"] = sizes
        return found | ({"sweep": self.sweep} if self.sweep else {})

    def arguments(self) -> str:
        """The instance on the command line of `python -m rankone simulate`."""
        vectors = [("u", self.u), ("v", self.v), ("means", self.means)]
        vectors += [("factor", factor) for factor in self.factors]
        words = [f"--{name} {_run_lengths(vector)}" for name, vector in vectors if vector]
        if self.edges:
            words.append("--edges " + ",".join(f"{a}-{b}" for a, b in self.edges))
        if self.graph:
            words.append(f"--graph {self.graph}")
        return " ".join(words if self.unimodal else [*words, "--not-unimodal"])


@dataclass(frozen=True)
class Policy:
    """A policy's file with its parameters, under the name and label of one curve."""

    name: str
    policy: str  # a name of the folder policies/, or the path of a file
    label: str
    parameters: dict[str, Any] = field(default_factory=dict)
    studies: tuple[str, ...] = ()  # empty: every comparison
    draw: bool = True
    published: str = ""  # its name in published.csv
    sweep: dict[str, Any] = field(default_factory=dict)  # {of, symbol, text}, if one of many

    @property
    def file(self) -> str:
        """The policy's name, which for a file anywhere is that of the file."""
        return Path(self.policy).stem if self.policy.endswith(".py") else self.policy

    def entry(self) -> dict[str, Any]:
        """The policy as plain data, for the scripts."""
        kept = ("name", "label", "draw", "published", "policy", "parameters")
        found = {key: value for key, value in asdict(self).items() if key in kept}
        return found | ({"sweep": self.sweep} if self.sweep else {})

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
    batch: int  # runs per job
    instances: tuple[Instance, ...]
    policies: tuple[Policy, ...]
    fewer: dict[str, int] = field(default_factory=dict)  # runs of the policies that play fewer
    checkpoints: tuple[int, ...] = ()  # empty: the default grid
    windows: tuple[tuple[int, int], ...] = ()  # for slopes; empty: the decades

    def batches(self, policy: str = "") -> list[str]:
        """A policy's runs cut into jobs, each named by its first and last run: 0-99, 100-199."""
        runs = self.fewer.get(policy, self.runs)
        firsts = range(0, runs, self.batch)
        return [f"{first}-{min(first + self.batch, runs) - 1}" for first in firsts]


@dataclass(frozen=True)
class Campaign:
    """Everything one config file asks for."""

    name: str
    where: str  # the file, for messages
    seed: int
    level: float
    instances: dict[str, Instance]
    policies: dict[str, Policy]
    studies: dict[str, Study]
    figures: dict[str, dict[str, Any]]
    tables: dict[str, dict[str, Any]]
    claims: dict[str, dict[str, Any]]
    experiments: dict[str, dict[str, Any]]
    compare: dict[str, list[str]]
    benchmark: dict[str, list[int]]

    def arguments(self, study: str, instance: str, policy: str) -> str:
        """What a job of `python -m rankone simulate` must know, save its runs and its output."""
        played, asked = self.policies[policy], self.studies[study]
        words = [
            shlex.quote(_from_here(played.policy)),
            self.instances[instance].arguments(),
            f"--horizon {asked.horizon} --seed {self.seed}",
            f"--checkpoints {','.join(map(str, asked.checkpoints))}" if asked.checkpoints else "",
            played.arguments(),
        ]
        return " ".join(filter(None, words))

    def cells(self, study: str) -> list[dict[str, Any]]:
        """The cells of a study as plain data: names, files of runs, and what these must be of."""
        asked, folder = self.studies[study], f"results/{self.name}/runs/{study}"
        found = []
        for instance, policy in itertools.product(asked.instances, asked.policies):
            place = f"{folder}/{instance.name}/{policy.name}"
            origin = {"policy": policy.file, "parameters": policy.parameters, "seed": self.seed}
            batches = [f"{place}/{batch}.npz" for batch in asked.batches(policy.name)]
            cell = {"instance": instance.name, "policy": policy.name, "bandit": instance.bandit()}
            found.append({**cell, "origin": origin, "files": batches})
        return found

    def labels(self) -> dict[str, str]:
        """The labels of all policies and instances."""
        every: list[Policy | Instance] = [*self.policies.values(), *self.instances.values()]
        return {one.name: one.label for one in every}

    def parameter(self, name: str) -> dict[str, Any]:
        """The value of a parameter for every policy that is given one."""
        found = self.policies.values()
        return {one.name: one.parameters[name] for one in found if name in one.parameters}

    @property
    def digest(self) -> str:
        """All that the config says, in a word."""
        text = json.dumps(asdict(self), sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def check(self) -> None:
        """Ask the policies: whether they take their parameters, and can play where they should.

        This imports the policies, and with them Numba.
        """
        from rankone import simulation

        bandits = {}
        for name, one in self.instances.items():
            try:
                bandits[name] = build(one.entry())
            except ValueError as error:
                raise ConfigError(f"{self.where}: instances.{name}: {error}") from None
        for study in self.studies.values():
            for policy, instance in itertools.product(study.policies, study.instances):
                bandit = bandits[instance.name]
                try:
                    simulation.prepare(policy.policy, bandit, study.horizon, **policy.parameters)
                except ValueError as error:
                    raise ConfigError(
                        f"{self.where}: policies.{policy.name} on {instance.name} in "
                        f"{study.name}: {error}"
                    ) from None


class Campaigns(Mapping[str, Campaign]):
    """The campaigns of config files, each read when it is first asked for.

    So a file that is half written stops only what needs it. `chosen` are files from elsewhere.
    """

    def __init__(self, folder: Path, chosen: Iterable[Path] = ()) -> None:
        self._files = reading.files(folder) | {file.stem: file for file in chosen}
        self._contents: dict[str, dict[str, Any]] = {}
        self._read: dict[str, Campaign] = {}
        self._checked: set[str] = set()

    def __getitem__(self, name: str) -> Campaign:
        """The campaign, after all checks."""
        campaign = self.peek(name)
        if name not in self._checked:
            campaign.check()
            self._checked.add(name)
        return campaign

    def peek(self, name: str) -> Campaign:
        """The campaign as its file says, before the policies are asked."""
        if name not in self._read:
            self._read[name] = _Speller(self._files[name], self._content(name)).campaign()
        return self._read[name]

    def _content(self, name: str) -> dict[str, Any]:
        if name not in self._contents:
            self._contents[name] = reading.read(self._files[name], self._files)
        return self._contents[name]

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def names(self, section: str) -> list[str] | None:
        """All names in a section of any campaign; None if some file cannot be read.

        No campaign is spelled out for it, which can take long: an instance may have to be fitted.
        """
        found: set[str] = set()
        try:
            for content in map(self._content, self):
                found.update(content.get(section, {}))
                if section == "policies" and content.get("every_policy"):
                    found.update(sources.policies())
        except ConfigError:
            return None
        return sorted(found)


def open_cells(cells: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str, Batches]]:
    """The runs of each cell of `Campaign.cells`, refused if of another one.

    One cell at a time, and of this one file of runs in memory at a time.
    """
    for cell in cells:
        digest = build(cell["bandit"]).digest
        found = Batches(cell["files"], instance=digest, **cell["origin"])
        yield cell["instance"], cell["policy"], found


def load(file: Path, others: Mapping[str, Path] | None = None) -> Campaign:
    """Read one config file, check all of it, and spell it out."""
    content = reading.read(file, reading.files(file.parent) if others is None else others)
    return _Speller(file, content).campaign()


class _Speller:
    """Turns checked content into objects, with the checks that a schema cannot make."""

    def __init__(self, file: Path, content: dict[str, Any]) -> None:
        self.file, self.content = file, content
        self.where = f"{file.parent.name}/{file.name}"

    def campaign(self) -> Campaign:
        content = self.content
        instances = {k: self.instance(k, v) for k, v in content.get("instances", {}).items()}
        policies = {k: self.policy(k, v) for k, v in content.get("policies", {}).items()}
        if content.get("every_policy"):
            played = {policy.policy for policy in policies.values()}
            others = [name for name in sources.policies() if name not in played]
            policies |= {name: self.policy(name, {}) for name in others}
        for entry in content.get("experiments", {}).values():
            if entry.get("policies") == "all":
                entry["policies"] = list(policies)
        asked = content.get("studies", {})
        for policy in policies.values():
            self.known(f"policies.{policy.name}.studies", policy.studies, asked)
        places = self.places(asked, instances)
        studies = {
            key: self.study(key, value, places[key], policies.values())
            for key, value in asked.items()
        }
        campaign = Campaign(
            self.file.stem,
            self.where,
            content["seed"],
            content.get("level", LEVEL),
            instances,
            policies,
            studies,
            **{
                sort: {key: {"kind": key, **value} for key, value in content.get(sort, {}).items()}
                for sort in outputs.SORTS
            },
            compare=content.get("compare", {}),
            benchmark=content.get("benchmark", {}),
        )
        try:
            for sort in outputs.SORTS:
                for key in getattr(campaign, sort):
                    outputs.check(campaign, sort, key)
        except ValueError as error:
            self.fail(str(error))
        return campaign

    def fail(self, sentence: str) -> NoReturn:
        raise ConfigError(f"{self.where}: {sentence}")

    def known(self, key: str, names: Iterable[str], known: Iterable[str]) -> None:
        for name in names:
            if not isinstance(name, str) or name not in known:
                self.fail(f"{key} is {shown(name)}; allowed: {', '.join(known)}.")

    def instance(self, name: str, value: dict[str, Any]) -> Instance:
        key = f"instances.{name}"
        try:
            vectors: dict[str, Any] = {k: _vector(value[k]) for k in ("u", "v") if k in value}
            if "factors" in value:
                vectors["factors"] = tuple(map(_vector, value["factors"]))
            found = entries.resolved({**value, **vectors}, self.file.parent)
        except ValueError as error:
            self.fail(f"{key}: {error}")
        if value.get("unimodal", True):
            self.refuse_ties(key, vectors, value.get("means", ()))
        for place, end in itertools.product(range(len(value.get("edges", ()))), (0, 1)):
            arm = value["edges"][place][end]
            if arm >= len(found["means"]):
                last = len(found["means"]) - 1
                self.fail(f"{key}.edges[{place}][{end}] is {arm}; allowed: 0 to {last}.")
        made = Instance(
            name,
            value.get("label", name),
            **{k: tuple(map(float, found[k])) for k in ("u", "v", "means") if k in found},
            factors=found.get("factors", ()),
            edges=tuple((a, b) for a, b in found.get("edges", ())),
            graph=found.get("graph", ""),
            unimodal=value.get("unimodal", True),
            published=tuple(value.get("published", ())),
            sweep=value.get("sweep", {}),
        )
        if "u" not in found or (0.0 in found["u"] and 0.0 in found["v"]):
            self.refuse_unless_unimodal(key, made)  # any other matrix is unimodal
        return made

    def refuse_ties(self, key: str, vectors: dict[str, Any], means: Iterable[float]) -> None:
        """Say which vector is to blame if several arms are best."""
        named: dict[str, Any] = {k: vectors[k] for k in ("u", "v") if k in vectors}
        for place, vector in enumerate(vectors.get("factors", ())):
            named[f"factors[{place}]"] = vector
        if named and min(max(vector) for vector in named.values()) == 0:
            if math.prod(map(len, named.values())) > 1:
                self.fail(f"{key} has mean 0 on every arm; allowed: one best arm.")
        elif named or means:
            for letter, vector in (named or {"means": means}).items():
                self.unique_best(f"{key}.{letter}", tuple(vector))

    def refuse_unless_unimodal(self, key: str, made: Instance) -> None:
        try:
            bandit = build(made.bandit() | {"unimodal": False})
        except ValueError as error:
            self.fail(f"{key}: {error}")
        if made.unimodal and (reason := why_not_unimodal(bandit)):
            self.fail(f"{key}: {reason}, or unimodal: false, if this is meant.")

    def unique_best(self, key: str, values: tuple[float, ...]) -> None:
        top = max(values)
        if values.count(top) > 1:
            self.fail(
                f"{key} has its largest value {top:g} {values.count(top)} times; "
                "allowed: once, so that the best arm is unique."
            )

    def policy(self, name: str, value: dict[str, Any]) -> Policy:
        policy, given = value.get("policy", name), value.get("parameters", {})
        if policy.endswith(".py"):
            path = Path(os.path.abspath(self.file.parent / policy))
            if not path.is_file():
                self.fail(
                    f"policies.{name}.policy is {shown(policy)}; allowed: a file that exists."
                )
            policy = str(path)
        else:
            self.known(f"policies.{name}.policy", [policy], sources.policies())
        known = sources.parameters(policy)
        for parameter in given:
            if parameter not in known:
                self.fail(
                    f"policies.{name}.parameters has the unknown key {shown(parameter)}; "
                    f"allowed for {Path(policy).stem}: {', '.join(known) or 'none'}."
                )
        rest = {key: value[key] for key in ("draw", "published", "sweep") if key in value}
        studies = tuple(value.get("studies", ()))
        return Policy(name, policy, value.get("label", name), given, studies, **rest)

    def places(
        self, studies: dict[str, Any], instances: dict[str, Instance]
    ) -> dict[str, tuple[Instance, ...]]:
        """Where each study plays: the instances it names, and in a comparison also those that no
        study names, unless they were imported."""
        named = {name for study in studies.values() for name in study.get("instances", ())}
        free = [n for n in instances if n not in named and n not in self.content["imported"]]
        places = {}
        for key, value in studies.items():
            own = value.get("instances", [])
            self.known(f"studies.{key}.instances", own, instances)
            more = free if value.get("comparison", True) else []
            places[key] = tuple(instances[name] for name in dict.fromkeys([*own, *more]))
            if not places[key]:
                self.fail(f"studies.{key} has no instance; allowed: instances: [...].")
        comparisons = [key for key, value in studies.items() if value.get("comparison", True)]
        asked = {
            name
            for sort in outputs.SORTS
            for entry in self.content.get(sort, {}).values()
            for name in [entry.get("instance"), *(entry.get("instances") or ())]
        }
        if free and not comparisons:
            alone = [name for name in free if name not in asked]
            for name in alone:
                self.fail(f"instances.{name} is played by no study; allowed: a study names it.")
        return places

    def study(
        self,
        name: str,
        value: dict[str, Any],
        here: tuple[Instance, ...],
        policies: Collection[Policy],
    ) -> Study:
        key = f"studies.{name}"
        named, comparison = value.get("policies", []), value.get("comparison", True)
        self.known(f"{key}.policies", named, [policy.name for policy in policies])
        playing = tuple(
            policy
            for policy in policies
            if name in policy.studies or policy.name in named or (comparison and not policy.studies)
        )
        if not playing:
            self.fail(
                f"{key} has no policy; allowed: a study that some policy names under studies."
            )
        largest = max(here, key=lambda instance: instance.arms)
        if value["horizon"] < largest.arms:
            self.fail(
                f"{key}.horizon is {value['horizon']}; allowed: at least {largest.arms}, "
                f"a warm-up round for each arm of {largest.name}."
            )
        count = int(value["runs"])  # a schema takes 100.0 for whole, range() does not
        batch = min(int(value.get("batch", count)), count)
        fewer, checkpoints = value.get("fewer", {}), tuple(map(int, value.get("checkpoints", ())))
        self.known(f"{key}.fewer", fewer, [policy.name for policy in playing])
        jobs = -(-max(count, *fewer.values(), 0) // batch)  # of one policy on one instance
        if jobs > MOST_JOBS:
            self.fail(
                f"{key}.batch is {batch}, which makes {jobs:,} jobs for each policy and instance; "
                f"allowed: at most {MOST_JOBS:,}, by a larger batch or fewer runs."
            )
        increasing = all(a < b for a, b in itertools.pairwise(checkpoints))
        if checkpoints and not (increasing and checkpoints[-1] <= value["horizon"]):
            self.fail(
                f"{key}.checkpoints is {list(checkpoints)}; allowed: increasing rounds up to "
                f"the horizon {value['horizon']}."
            )
        windows = tuple((int(a), int(b)) for a, b in value.get("windows", ()))
        for pair in windows:
            if not pair[0] < pair[1] or (checkpoints and not set(pair) <= {*checkpoints}):
                self.fail(f"{key}.windows has {list(pair)}; allowed: two increasing checkpoints.")
        horizon = int(value["horizon"])
        return Study(name, horizon, count, batch, here, playing, fewer, checkpoints, windows)


def _vector(value: list[float] | dict[str, Any]) -> tuple[float, ...]:
    """A list as it is, or {first, rest, size} spelled out."""
    if isinstance(value, dict):
        size = int(value["size"])
        require_memory(f"a vector of size {shown(size)}", size)
        value = [value["first"], *[value["rest"]] * (size - 1)]
    return tuple(map(float, value))


def _from_here(policy: str) -> str:
    """A policy's file as a path from the working folder, so that moving both changes no job."""
    return os.path.relpath(policy) if policy.endswith(".py") else policy


def _run_lengths(values: Iterable[float]) -> str:
    """Numbers with commas between them, repeated ones as value*count: 0.75,0.25*127."""
    groups = ((value, len(list(group))) for value, group in itertools.groupby(values))
    return ",".join(f"{value!r}*{count}" if count > 1 else f"{value!r}" for value, count in groups)

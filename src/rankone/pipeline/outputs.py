"""Figures, tables, claims and experiments: functions that the config asks for by name.

A *kind* is a public function of the modules below. What it takes is read from its signature,
without importing it: a parameter named in FILES or VALUES is filled by the pipeline, from files or
from the campaign; every other one is a key of the config's entry, required unless it has a default.
"""

import ast
import functools
import importlib
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rankone.engine import intact, sources
from rankone.engine.parameters import shown

if TYPE_CHECKING:
    from rankone.pipeline.campaigns import Campaign, Study

# Where the kinds of each sort live, as modules of rankone.
SORTS = {
    "figures": ("show.figures", "paper.figures"),
    "tables": ("show.tables", "paper.tables"),
    "claims": ("paper.claims",),
    "experiments": (
        "paper.counterexamples",
        "paper.tie_breaking",
        "paper.ensembles",
        "stats.league",
    ),
}

# What an entry may say besides the keys of its kind.
GENERAL = {"claims": ("number", "statement", "place")}

# Data by the name of the parameter that takes it, with the keys of the entry that it is chosen by.
STUDY = ("study", "studies")
FILES = {  # read from files
    "bands": STUDY,
    "slopes": STUDY,
    "further": ("further",),
    "cases": ("experiment",),
    "compared": (),
    "verdicts": (),
    "times": (),
    "starts": (),
}
VALUES = {  # known from the campaign
    "policies": (*STUDY, "omit"),
    "instances": (*STUDY, "instances"),
    "instance": (*STUDY, "instance"),
    "bandit": ("instance",),
    "constants": (),
    "published": (),
    "labels": (),
    "horizon": STUDY,
    "level": (),
}
EXPERIMENT = {  # of these an experiment gets
    "policy": ("policies",),
    "bandit": ("instance",),
    "bandits": ("instances",),
    "seed": (),
}


class Kind(NamedTuple):
    """A function that makes an output, as its signature tells."""

    name: str
    module: str
    data: dict[str, tuple[str, ...]]  # parameters filled by the pipeline, and the keys for each
    options: dict[str, bool]  # keys of the entry, and whether they must be given
    names: dict[str, str]  # options that name policies or instances, by their annotation

    def accepts(self) -> dict[str, bool]:
        """All keys that an entry may have, and whether it must."""
        found = dict(self.options)
        for wanted in self.data.values():
            for key in wanted:
                found.setdefault(key, key in ("experiment", "policies"))
        return found

    def function(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(importlib.import_module(self.module), self.name)
        return found


@functools.cache
def kinds(sort: str) -> dict[str, Kind]:
    """The kinds of a sort, by name."""
    known = EXPERIMENT if sort == "experiments" else {**FILES, **VALUES}
    found = {}
    for home in SORTS[sort]:
        for function in _functions(home):
            given = function.args
            parameters = [*given.args, *given.kwonlyargs]
            optional = [a.arg for a in given.args[len(given.args) - len(given.defaults) :]]
            optional += [
                a.arg for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d
            ]
            options = {a.arg: a.arg not in optional for a in parameters if a.arg not in known}
            names = {
                a.arg: word
                for a in parameters
                for word in ("PolicyName", "InstanceName")
                if a.annotation is not None and word in ast.unparse(a.annotation)
            }
            data = {a.arg: known[a.arg] for a in parameters if a.arg in known}
            found[function.name] = Kind(function.name, f"rankone.{home}", data, options, names)
    return found


def file(module: str) -> Path:
    """The source file of a module of the package, given without the package's name."""
    return sources.PACKAGE / (module.replace(".", "/") + ".py")


def _functions(module: str) -> list[ast.FunctionDef]:
    """The public functions of a module, read without importing it."""
    tree = ast.parse(file(module).read_text(encoding="utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [function for function in found if not function.name.startswith("_")]


def kind(sort: str, entry: Mapping[str, Any]) -> Kind:
    return kinds(sort)[entry["kind"]]


def check(campaign: "Campaign", sort: str, name: str) -> None:
    """Refuse an entry whose kind, keys or names are wrong: a ValueError of one sentence."""
    entry: dict[str, Any] = getattr(campaign, sort)[name]
    key = f"{sort}.{name}"
    _known(f"{key}.kind", [entry["kind"]], kinds(sort))
    asked = kind(sort, entry)
    general = ("kind", *GENERAL.get(sort, ()))
    for word in entry:
        if word not in asked.accepts() and word not in general:
            allowed = ", ".join(dict.fromkeys([*general, *asked.accepts()]))
            raise ValueError(
                f"{key} has the unknown key {shown(word)}; allowed for {asked.name}: {allowed}."
            )
    for word, needed in asked.accepts().items():
        if needed and word not in entry:
            raise ValueError(f"{key} lacks the key {word!r}; {asked.name} needs it.")
    _check_names(campaign, key, entry, asked)


def _check_names(campaign: "Campaign", key: str, entry: Mapping[str, Any], asked: Kind) -> None:
    """What an entry refers to must be there: studies, instances, policies, experiments."""
    for word in ("study", "studies", "further"):
        if word in entry:
            _known(f"{key}.{word}", _listed(entry[word]), campaign.studies)
    if "experiment" in asked.accepts():
        _known(f"{key}.experiment", [entry["experiment"]], campaign.experiments)
    from_study = {"bands", "slopes", "horizon"} & asked.data.keys()
    if from_study and not studies(campaign, entry):
        raise ValueError(f"{key} lacks the key 'study'; {asked.name} needs it.")
    here, playing = _within(campaign, entry)
    for word in ("instance", "instances"):
        if word in entry:
            _known(f"{key}.{word}", _listed(entry[word]), here)
    for word in ("omit", "policies"):
        if word in entry and word in asked.accepts():
            _known(f"{key}.{word}", _listed(entry[word]), playing)
    for word, sort in asked.names.items():
        known = playing if sort == "PolicyName" else here
        _known(f"{key}.{word}", _leaves(entry.get(word, [])), known)
    if "instance" in asked.data and "instance" not in entry and len(here) != 1:
        raise ValueError(f"{key} lacks the key 'instance'; allowed: {', '.join(here)}.")
    if "bandit" in asked.data and "instance" not in entry:
        raise ValueError(f"{key} lacks the key 'instance'; {asked.name} needs it.")


def _within(campaign: "Campaign", entry: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The names of the instances and policies that an entry can be about."""
    found = studies(campaign, entry)
    found += [campaign.studies[name] for name in entry.get("further", ())]
    if not found:
        return list(campaign.instances), list(campaign.policies)
    here = [instance.name for study in found for instance in study.instances]
    playing = [policy.name for study in found for policy in study.policies]
    return list(dict.fromkeys(here)), list(dict.fromkeys(playing))


def studies(campaign: "Campaign", entry: Mapping[str, Any]) -> list["Study"]:
    """The studies that an entry is about."""
    names = _listed(entry.get("study", [])) + _listed(entry.get("studies", []))
    return [campaign.studies[name] for name in names]


def files(campaign: "Campaign", sort: str, name: str) -> dict[str, list[str]]:
    """The files that an output is made from, by the data parameter that they fill."""
    entry = getattr(campaign, sort)[name]
    asked, folder = kind(sort, entry), f"results/{campaign.name}"
    further = [campaign.studies[study] for study in entry.get("further", ())]
    own = studies(campaign, entry)
    found = {
        "bands": [f"{folder}/bands/{study.name}.csv" for study in own],
        "slopes": [f"{folder}/slopes/{study.name}.csv" for study in own],
        "further": [f"{folder}/bands/{study.name}.csv" for study in further],
        "cases": cases(campaign, entry["experiment"]) if "experiment" in entry else [],
        "compared": [f"{folder}/compared.csv"],
        "verdicts": [f"{folder}/claims.json"],
        "times": [f"{folder}/times/{policy}.csv" for policy in campaign.policies],
        "starts": [f"{folder}/starts.csv"],
    }
    return {key: found[key] for key in asked.data if key in FILES}


def cases(campaign: "Campaign", experiment: str) -> list[str]:
    """The files of an experiment: one, or one for each of its policies."""
    folder = f"results/{campaign.name}/experiments/{experiment}"
    policies = campaign.experiments[experiment].get("policies")
    return [f"{folder}/{policy}.csv" for policy in policies or ["all"]]


def values(campaign: "Campaign", sort: str, name: str, policy: str = "") -> dict[str, Any]:
    """What else the function gets, as plain data: its options, and what the campaign knows."""
    entry = getattr(campaign, sort)[name]
    asked = kind(sort, entry)
    options = {key: entry[key] for key in asked.options if key in entry}
    own = studies(campaign, entry)
    here, playing = _within(campaign, entry)
    chosen = _listed(entry.get("instance", entry.get("instances", here)))
    known: dict[str, Callable[[], Any]] = {
        "policies": lambda: [
            campaign.policies[key].entry() for key in playing if key not in entry.get("omit", [])
        ],
        "instances": lambda: [campaign.instances[key].entry() for key in chosen],
        "instance": lambda: campaign.instances[chosen[0]].entry(),
        "bandit": lambda: campaign.instances[chosen[0]].entry(),
        "bandits": lambda: [campaign.instances[key].entry() for key in chosen],
        "constants": lambda: [campaign.instances[key].entry() for key in here],
        "published": lambda: None,
        "labels": campaign.labels,
        "horizon": lambda: max(study.horizon for study in own),
        "level": lambda: campaign.level,
        "seed": lambda: campaign.seed,
        "policy": lambda: campaign.policies[policy].entry(),
    }
    data = {key: known[key]() for key in asked.data if key not in FILES or sort == "experiments"}
    return {"kind": asked.name, "options": options, "data": data}


def make(sort: str, given: Mapping[str, Any], found: Mapping[str, Any]) -> Any:
    """Call the function: `given` is from `values`, `found` has the files by data parameter."""
    return kinds(sort)[given["kind"]].function()(**arguments(sort, given, found))


def arguments(sort: str, given: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """All that the function is called with: its options, and its data built or read."""
    filled = dict(given["options"])
    for key in kinds(sort)[given["kind"]].data:
        if key in given["data"]:
            filled[key] = _built(key, given["data"][key])
        else:
            filled[key] = _read(key, _listed(found[key]))
    return filled


def caption(folder: Path, campaign: "Campaign", sort: str, name: str) -> str:
    """The caption of a figure or table: under its own name, or else that of its kind."""
    kind = getattr(campaign, sort)[name]["kind"]
    files = [folder / f"{word}.rst" for word in (name, kind)]
    text = next((file.read_text("utf-8").strip() for file in files if file.exists()), "")
    return text.replace("{level}", f"{campaign.level:.1%}")


def about(caption: str) -> str:
    """The first clause of a caption, without its full stop."""
    return re.split(r"[:.,;](?=\s|$)", caption, maxsplit=1)[0]


def _built(key: str, value: Any) -> Any:
    """A value as the function takes it, from plain data."""
    from rankone.pipeline import campaigns

    if key == "bandit":
        return campaigns.build(value)
    if key == "bandits":
        return {entry["name"]: campaigns.build(entry) for entry in value}
    if key == "constants":
        import pandas as pd

        from rankone import theory

        return pd.DataFrame(
            {entry["name"]: theory.constants(campaigns.build(entry)) for entry in value}
        ).T
    if key == "published":
        from rankone.paper import published

        return published.load()
    return value


def _read(key: str, paths: list[str]) -> Any:
    """The content of files: one frame, or the list of verdicts."""
    import json

    import pandas as pd

    if key == "verdicts":
        return json.loads(intact.read(paths[0]))
    text = {"group": "str", "K": "Int64", "L": "Int64"}
    frames = [intact.table(path) for path in paths]
    frames = [f.astype({c: text[c] for c in text if c in f.columns}) for f in frames]
    if not frames:
        return pd.DataFrame(columns=["instance", "policy", "t", "runs", "mean", "se"])
    return pd.concat(frames, ignore_index=True)


def _listed(value: Any) -> list[str]:
    """Names as a list; anything that is no list stands for itself."""
    return list(value) if isinstance(value, list | tuple) else [value]


def _leaves(value: Any) -> list[str]:
    """All words in a value, however deep in lists and mappings."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [leaf for inner in (*value.keys(), *value.values()) for leaf in _leaves(inner)]
    if isinstance(value, list | tuple):
        return [leaf for inner in value for leaf in _leaves(inner)]
    return []


def _known(key: str, names: Iterable[str], known: Iterable[str]) -> None:
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise ValueError(f"{key} is {shown(name)}; allowed: {', '.join(known)}.")

"""Config files as plain data: YAML read strictly, merged with the file it is `like`, then checked.

Every mistake is a ConfigError: one sentence with the file, the key, its value and what is allowed.
"""

import copy
import functools
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from rankone.engine.parameters import one_sentence, shown
from rankone.entries import FORMS
from rankone.pipeline import sweeps

SUFFIXES = (".yaml", ".yml")
SCHEMA = Path(__file__).with_name("campaign.schema.yaml")
LARGEST = 1_000_000  # values in a file
NAMED = ("instances", "policies", "studies", "figures", "tables", "claims", "experiments")


class ConfigError(ValueError):
    """A mistake in a config file, as one sentence for its author, whatever it quotes."""

    def __init__(self, told: str) -> None:
        super().__init__(one_sentence(told))


def files(folder: Path) -> dict[str, Path]:
    """The config files of a folder by their names without the suffix."""
    found: dict[str, Path] = {}
    for file in sorted(folder.iterdir() if folder.is_dir() else ()):
        if file.suffix in SUFFIXES and not file.name.startswith("."):
            if file.stem in found:
                raise ConfigError(
                    f"{_where(file)} and {found[file.stem].name} have the same name; "
                    "allowed: one of them."
                )
            found[file.stem] = file
    return found


def read(file: Path, others: Mapping[str, Path]) -> dict[str, Any]:
    """The whole content of a config file, merged and checked; `others` are the files it may name.

    The result has a key `imported`: the names of instances that came from another file.
    """
    content = _spelled(_merged(file, others, ()), _where(file))
    content["imported"] = content.pop("imported", [])
    return content


def _where(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"


def _merged(file: Path, others: Mapping[str, Path], above: tuple[Path, ...]) -> dict[str, Any]:
    """The file over the one that it is `like`, which is read first and checked on its own."""
    where, own = _where(file), _parse(file)
    like, sources = own.pop("like", None), own.pop("instances_from", [])
    every = own.pop("every_study", {})
    content: dict[str, Any] = {}
    if like is not None:
        content = _other(like, "like", file, others, above)
        for study in content.get("studies", {}).values():
            study.update(every)
    elif every:
        raise ConfigError(f"{where}: every_study is given without like; allowed: both or none.")
    if not isinstance(sources, str | list):
        raise ConfigError(
            f"{where}: instances_from is {shown(sources)}; allowed: a name, or a list of names, of "
            f"{', '.join(others)}."
        )
    for source in [sources] if isinstance(sources, str) else sources:
        instances = _other(source, "instances_from", file, others, above).get("instances", {})
        content["instances"] = {**instances, **content.get("instances", {})}
        content["imported"] = [*content.get("imported", []), *instances]
    dropped = _dropped(own)
    merged: dict[str, Any] = _merge(_without(content, dropped), own)
    return merged


def _other(
    name: Any, key: str, file: Path, others: Mapping[str, Path], above: tuple[Path, ...]
) -> dict[str, Any]:
    """The content of another config file, checked."""
    base = others.get(name) if isinstance(name, str) else None
    if base is None or base in (file, *above):
        known = [n for n, path in others.items() if path not in (file, *above)]
        raise ConfigError(
            f"{_where(file)}: {key} is {shown(name)}; "
            f"allowed: {', '.join(known) or 'no other file'}."
        )
    content = _merged(base, others, (*above, file))
    _spelled(content, _where(base))
    return copy.deepcopy(content)


def _spelled(content: dict[str, Any], where: str) -> dict[str, Any]:
    """The content with its sweeps spelled out, checked."""
    try:
        spelled = sweeps.expand(content)
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None
    _validate(spelled, where)
    return spelled


def _dropped(own: Mapping[str, Any]) -> dict[str, set[str]]:
    """The inherited entries that a null value takes away, by section."""
    return {
        section: {str(name) for name, value in entries.items() if value is None}
        for section in NAMED
        if isinstance(entries := own.get(section), dict)
    }


def _without(content: dict[str, Any], dropped: Mapping[str, set[str]]) -> dict[str, Any]:
    """Inherited content without the dropped entries and without what was about them alone.

    A study goes with its last instance, a policy and an instance with the last study that they are
    played in, and a figure, table or claim with the study, instance or experiment that it shows.
    """
    gone = {section: set(dropped.get(section, ())) for section in NAMED}
    named = _played_instances(content)
    while True:
        before = {section: set(names) for section, names in gone.items()}
        for section, names in gone.items():
            kept = {k: v for k, v in content.get(section, {}).items() if k not in names}
            if section in content:
                content[section] = {k: _pruned(v, section, gone) for k, v in kept.items()}
                gone[section] |= {k for k, v in content[section].items() if v is None}
        gone["instances"] |= named - _played_instances(content)
        if gone == before:
            return content


def _played_instances(content: Mapping[str, Any]) -> set[str]:
    """The instances that some study names."""
    studies = content.get("studies", {}).values()
    return {name for study in studies if study for name in study.get("instances", ())}


def _pruned(entry: Any, section: str, gone: Mapping[str, set[str]]) -> Any:
    """An inherited entry without references to what is gone; None if nothing is left of it."""
    if not isinstance(entry, dict):
        return entry
    entry = dict(entry)
    lists = {"instances": "instances", "studies": "studies", "further": "studies"}
    lists |= {"omit": "policies", "policies": "policies"}
    for key, home in lists.items():
        if isinstance(entry.get(key), list):
            entry[key] = [name for name in entry[key] if name not in gone[home]]
            if not entry[key] and key not in ("omit", "further"):
                return None
    for key, home in {"instance": "instances", "study": "studies", "experiment": "experiments",
                      "reference": "policies"}.items():  # fmt: skip
        if entry.get(key) in gone[home]:
            return None
    if section == "studies" and isinstance(entry.get("fewer"), dict):
        entry["fewer"] = {k: v for k, v in entry["fewer"].items() if k not in gone["policies"]}
    return entry


def _merge(below: Any, above: Any) -> Any:
    """Mappings are merged key by key, null takes an entry away, anything else replaces it.

    An instance is given anew if it has another form than the one below.
    """
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    below = dict(below)
    for keys in FORMS.values():
        others = {key for form in FORMS.values() if form != keys for key in form}
        if any(key in above for key in keys) and not any(key in above for key in others):
            below = {key: value for key, value in below.items() if key not in others}
    for one, other in (("edges", "graph"), ("graph", "edges")):
        if one in above and other not in above:
            below.pop(other, None)
    merged = dict(below)
    for key, value in above.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merge(below[key], value) if key in below else _clean(value)
    return merged


def _clean(value: Any) -> Any:
    """A mapping without its null values: there is nothing below for them to take away."""
    if not isinstance(value, dict):
        return value
    return {key: _clean(inner) for key, inner in value.items() if inner is not None}


class _Loader(yaml.SafeLoader):
    """YAML that refuses a key given twice, and takes 3e5 and inf for the numbers that they are."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        for key, _ in node.value:
            if key.tag == "!number":  # `inf` is a number as a value, but a name as a key
                key.tag = "tag:yaml.org,2002:str"
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                mark = node.start_mark
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} is given twice in the mapping that starts", mark
                )
        return super().construct_mapping(node, deep)


def _number(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> float | int:
    text = loader.construct_scalar(node).replace("_", "")
    value = float(text.replace(".inf", "inf").replace(".nan", "nan").lower())
    return int(value) if value.is_integer() and "." not in text else value


_Loader.add_implicit_resolver(
    "!number",
    re.compile(r"^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)[eE][-+]?[0-9]+$|^[-+]?inf$"),
    list("-+.0123456789i"),
)
_Loader.add_constructor("!number", _number)


def _parse(file: Path) -> dict[str, Any]:
    where = _where(file)
    try:
        # a copy: the caller changes it, and the file may be read again for another campaign
        content = copy.deepcopy(_loaded(file.read_text(encoding="utf-8")))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigError(f"{where} is not valid YAML: {error.problem}{place}.") from None
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{where} is not valid YAML: {str(error).splitlines()[0]}.") from None
    except OSError as error:
        raise ConfigError(f"{where} cannot be read: {error.strerror}.") from None
    except RecursionError:
        raise ConfigError(f"{where} is not valid YAML: it is nested too deeply.") from None
    except AttributeError:  # how PyYAML ends for `!!timestamp x`
        raise ConfigError(f"{where} is not valid YAML: a value is not what its tag says.") from None
    except (ValueError, OverflowError) as error:  # the 31st of February, a number of 5000 digits
        told = str(error).partition(";")[0].rstrip(".")
        raise ConfigError(f"{where} is not valid YAML: {told}.") from None
    if not isinstance(content, dict):
        raise ConfigError(
            f"{where} holds {shown(content)}; allowed: keys with values, as in paper.yaml."
        )
    _expect_plain(content, where)
    return content


@functools.lru_cache(maxsize=32)
def _loaded(text: str) -> Any:
    return yaml.load(text, _Loader)


def _expect_plain(content: Any, where: str) -> None:
    """Refuse what aliases can unfold to, too many values or a value inside itself; and nan.

    A checker writes such values into its messages in full, and takes nan for any number.
    """
    sizes: dict[
        int, float
    ] = {}  # of mappings and lists by identity; nan while one is being counted

    def size(value: Any, path: tuple[Any, ...]) -> float:
        if isinstance(value, float) and math.isnan(value):
            raise ConfigError(f"{where}: {_path(path)} is nan; allowed: a number.")
        if not isinstance(value, dict | list):
            return 1
        if id(value) not in sizes:
            sizes[id(value)] = math.nan
            inner = value.items() if isinstance(value, dict) else enumerate(value)
            sizes[id(value)] = 1 + sum(size(part, (*path, key)) for key, part in inner)
        if math.isnan(sizes[id(value)]):
            raise ConfigError(f"{where}: {_path(path)} contains itself; allowed: plain values.")
        return sizes[id(value)]

    if size(content, ()) > LARGEST:
        raise ConfigError(
            f"{where} unfolds to more than {LARGEST:,} values through its aliases; "
            f"allowed: at most {LARGEST:,}."
        )


@functools.cache
def _validator() -> Any:
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def _validate(content: dict[str, Any], where: str) -> None:
    # the shortest path first, in the order of the file: the mistake nearest to what was typed
    errors = sorted(_validator().iter_errors(content), key=lambda e: len(e.absolute_path))
    if errors:
        raise ConfigError(f"{where}: {_sentence(errors[0])}")


def _sentence(error: jsonschema.ValidationError) -> str:
    """A schema's complaint as one sentence; `description` says in the schema what is allowed."""
    key = _path(error.absolute_path)
    # A rule that can fail is a mapping; its value and the instance are whatever the YAML holds.
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    needed: Any = error.validator_value
    found: Any = error.instance
    allowed = schema.get("description", "")
    if error.validator == "additionalProperties":
        known = [name for name in schema.get("properties", {}) if name not in ("imported", "sweep")]
        unknown = next(name for name in found if name not in known)
        told = f"{key or 'the file'} has the unknown key {shown(unknown)}"
        return f"{told}; allowed: {', '.join(known)}."
    if error.validator == "required":
        missing = next(name for name in needed if name not in found)
        return f"{key or 'the file'} lacks the key {missing!r}; allowed: {allowed}."
    if error.validator == "dependentRequired":
        return f"{key} has only the keys {', '.join(found)}; allowed: {allowed}."
    if "propertyNames" in error.absolute_schema_path:
        return f"{key} has the key {shown(found)}; allowed: {allowed}."
    return f"{key} is {shown(found)}; allowed: {allowed}."


def _path(parts: Iterable[str | int]) -> str:
    """studies.regret.runs, instances.K4.u[2]"""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.removeprefix(".")

"""Sweeps: a policy's parameter, or an instance's size, given as a list stands for one entry each.

    uts_gamma: {policy: uts, label: "γ = {gamma}", parameters: {gamma: [2, 5, .inf]}}
    square: {label: "K = {size}", size: [2, 4], u: {first: 0.75, rest: 0.25}, v: {first: ...}}

become uts_gamma2, uts_gamma5 and uts_gamma_inf; square2 and square4. Wherever else a list of the
config names uts_gamma or square, all of them are meant. Each gets a key `sweep`: the
entry it comes from (`of`), what is swept (`symbol`), and its own value (`text`).
"""

import copy
import math
from collections.abc import Iterator, Mapping
from typing import Any

SYMBOLS = {"alpha": "α", "epsilon": "ε", "gamma": "γ", "tau": "τ"}
# The keys of other entries whose lists name policies or instances.
LISTS = {"instances": "instances", "policies": "policies", "omit": "policies"}
Entries = dict[str, Any]


def expand(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a config with every sweep spelled out; a ValueError of one sentence."""
    found = copy.deepcopy(dict(content))
    names: dict[str, dict[str, list[str]]] = {}
    for section, spell in (("policies", _policy), ("instances", _instance)):
        given = found.get(section)
        if isinstance(given, dict):
            found[section], names[section] = _section(section, given, spell)
    for section in ("studies", "figures", "tables", "claims", "experiments"):
        for entry in _mappings(found.get(section)):
            _rename(entry, names)
    if isinstance(found.get("imported"), list):
        found["imported"] = _all(found["imported"], names.get("instances", {}))
    return found


def _section(section: str, given: Entries, spell: Any) -> tuple[Entries, dict[str, list[str]]]:
    spelled: Entries = {}
    names: dict[str, list[str]] = {}
    for name, entry in given.items():
        children = dict(spell(f"{section}.{name}", name, entry)) if isinstance(entry, dict) else {}
        for child in children:
            if child in spelled or (child != name and child in given):
                raise ValueError(f"{section}.{name} makes {child!r} twice; allowed: once.")
        spelled |= children or {name: entry}
        if list(children) != [name]:
            names[name] = list(children) or [name]
    return spelled, names


def _policy(key: str, name: str, entry: Entries) -> Iterator[tuple[str, Entries]]:
    given = entry.get("parameters")
    lists = (
        {k: v for k, v in given.items() if isinstance(v, list)} if isinstance(given, dict) else {}
    )
    if not lists:
        yield name, entry
        return
    if len(lists) > 1:
        raise ValueError(
            f"{key}.parameters has the lists {', '.join(lists)}; allowed: one list in an entry."
        )
    ((parameter, values),) = lists.items()
    for value in _different(f"{key}.parameters.{parameter}", values):
        child = copy.deepcopy(entry)
        child["parameters"][parameter] = value
        label = f"{SYMBOLS.get(parameter, parameter)} = {_pretty(value)}"
        yield _named(child, name, parameter, value, f"{entry.get('label', name)} ({label})")


def _instance(key: str, name: str, entry: Entries) -> Iterator[tuple[str, Entries]]:
    entry = copy.deepcopy(entry)
    size = entry.pop("size", None)
    places = list(_sizes(entry))
    if size is not None:
        for holder, word in places:
            holder.setdefault(word, size)
        if not places:
            raise ValueError(f"{key}.size is {size!r}; allowed: beside {{first, rest}} or random.")
    lists = [holder[word] for holder, word in places if isinstance(holder.get(word), list)]
    if not lists:
        yield name, entry
        return
    if len({len(values) for values in lists}) > 1:
        raise ValueError(f"{key} has sizes in lists of different lengths; allowed: the same.")
    for number, value in enumerate(_different(f"{key}.size", lists[0])):
        child = copy.deepcopy(entry)
        for holder, word in _sizes(child):
            if isinstance(holder.get(word), list):
                holder[word] = holder[word][number]
        yield _named(child, name, "size", value, f"{entry.get('label', name)} ({value})")


def _sizes(entry: Entries) -> Iterator[tuple[Entries, str]]:
    """Where an instance says its size: in vectors of the form {first, rest}, and in random."""
    for vector in (entry.get("u"), entry.get("v"), *(entry.get("factors") or ())):
        if isinstance(vector, dict):
            yield vector, "size"
    if isinstance(entry.get("random"), dict):
        yield entry["random"], "arms"


def _named(
    child: Entries, name: str, parameter: str, value: Any, label: str
) -> tuple[str, Entries]:
    """A child's name and entry: its label has the value in the place of {gamma}, or after it."""
    place = f"{{{parameter}}}"
    own = child.get("label", "")
    child["label"] = own.replace(place, _pretty(value)) if place in str(own) else label
    child["sweep"] = {
        "of": name,
        "symbol": SYMBOLS.get(parameter, parameter),
        "text": _pretty(value),
    }
    text = f"{value:g}".replace(".", "-") if _is_number(value) else str(value)
    return (f"{name}{text}" if text[0].isdigit() else f"{name}_{text}"), child


def _different(key: str, values: list[Any]) -> list[Any]:
    for value in values:
        if isinstance(value, list | dict) or values.count(value) > 1:
            raise ValueError(f"{key} is {values!r}; allowed: a list of different values.")
    if not values:
        raise ValueError(f"{key} is []; allowed: at least one value.")
    return values


def _pretty(value: Any) -> str:
    if not _is_number(value):
        return str(value)
    return "∞" if value == math.inf else f"{value:g}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _mappings(section: Any) -> list[Entries]:
    values = section.values() if isinstance(section, dict) else ()
    return [entry for entry in values if isinstance(entry, dict)]


def _rename(entry: Entries, names: Mapping[str, Mapping[str, list[str]]]) -> None:
    """Put the names of all children where an entry names their parent."""
    for key, section in LISTS.items():
        if isinstance(entry.get(key), list):
            entry[key] = _all(entry[key], names.get(section, {}))
    if isinstance(entry.get("fewer"), dict):
        known = names.get("policies", {})
        fewer = entry["fewer"].items()
        entry["fewer"] = {child: runs for k, runs in fewer for child in known.get(k, [k])}


def _all(given: list[Any], names: Mapping[str, list[str]]) -> list[Any]:
    known = {name: names[name] for name in given if isinstance(name, str) and name in names}
    lists = (known.get(name, [name]) if isinstance(name, str) else [name] for name in given)
    return [child for children in lists for child in children]

"""Config files that nobody meant: they are read, or refused in one sentence with the file."""

import copy
import math
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.fuzzing import CASES, NUMBERS, WORDS, assert_one_sentence, survive
from hypothesis import strategies as st

from rankone.pipeline import campaigns
from rankone.pipeline.campaigns import ConfigError

SOUND: dict[str, Any] = {
    "seed": 1,
    "level": 0.99,
    "instances": {
        "square": {"label": "2 x 2", "u": [0.9, 0.1], "v": [0.8, 0.2]},
        "wide": {"u": {"first": 0.9, "rest": 0.2, "size": 3}, "v": [0.5]},
        "line": {"means": [0.2, 0.9, 0.5], "edges": [[0, 1], [1, 2]]},
    },
    "policies": {
        "uts": {"label": "UTS", "parameters": {"gamma": 2, "warm_up": True}},
        "slow": {"policy": "osub", "parameters": {"c": 0}, "draw": False, "studies": ["regret"]},
        "mine": {"policy": "./mine.py"},
    },
    "studies": {
        "regret": {
            "horizon": 60,
            "runs": 4,
            "batch": 2,
            "instances": ["square", "wide"],
            "checkpoints": [10, 20, 60],
            "windows": [[10, 20]],
            "fewer": {"slow": 2},
        },
        "graphs": {"horizon": 60, "runs": 1, "instances": ["line"], "policies": ["uts"]},
    },
    "figures": {"figure3": {"kind": "comparison", "study": "regret"}},
    "tables": {"final_regret": {"study": "regret", "omit": ["mine"]}},
}
MINE = """
class Policy:
    def __init__(self, problem):
        pass

    def choose(self, t, rng):
        return 0

    def update(self, arm, reward):
        pass
"""
# YAML has dates, sets, bytes and nothing; what it cannot say is left out.
PLAIN = [n for n in NUMBERS if type(n) in (int, float, bool)]
VALUES = st.one_of(
    st.sampled_from(PLAIN),
    st.sampled_from(WORDS),
    st.sampled_from([None, [], {}, [[]], {"a": 1}, [None], b"x", {1: 2}, [[0, 1, 2]], [0.5, "x"]]),
    st.lists(st.sampled_from([*PLAIN, *WORDS, None]), max_size=3),
    st.dictionaries(st.sampled_from(["u", "v", "kind", "a", ""]), st.sampled_from(PLAIN)),
    st.integers(),
    st.floats(),
).map(copy.deepcopy)  # a further change must not reach into the values that all cases share


def paths(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All places in nested mappings and lists."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple[Any, ...]] = []
    for key, part in inner:
        found.append((*above, key))
        if isinstance(part, dict | list):
            found += paths(part, (*above, key))
    return found


@st.composite
def structures(draw: st.DrawFn) -> str:
    """A sound config with a few places changed, as YAML."""
    content = copy.deepcopy(SOUND)
    for _ in range(draw(st.integers(1, 3))):
        *above, last = draw(st.sampled_from(paths(content)))
        place: Any = content
        for key in above:
            place = place[key]
        change = draw(st.sampled_from(["replace", "replace", "drop", "rename", "add"]))
        if change == "replace":
            place[last] = draw(VALUES)
        elif change == "drop":
            del place[last]
        elif isinstance(place, list):
            place.append(draw(VALUES))
        else:
            name = draw(st.one_of(st.sampled_from(WORDS), st.sampled_from([1, None, True, 0.5])))
            place[name] = place.pop(last) if change == "rename" else draw(VALUES)
        if not content:
            break
    return yaml.dump(content, allow_unicode=True)


TEXTS = [
    "", "\n", "# nothing", "[]", "1", "'", "{", "}", "- -", "a: b: c", "\t", "\0", "\x07",
    "---\n---\n",
    "%YAML 9.9\n---\n", "seed: 1\nseed: 2", "? x", "seed: *nothing", "seed: &a [*a]",
    "&a {seed: 1, instances: *a}", "seed: !!python/object/apply:os.system ['touch pwned']",
    "seed: !!python/name:os.system", "seed: !unknown 1", "seed: !!binary eA==", "seed: !!set {a}",
    "seed: !!int abc", "seed: !!float x", "seed: !!timestamp x", "seed: 2020-02-31", "seed: 1:70",
    "seed: 0o9", "<<: {seed: 1}", "<<: [1]", "<<: *x", "seed: 1\n<<: {seed: 2}",
    "like: paper\nlike: x",
    "seed: !!omap [a, b]", "seed: !!pairs 1", "{a: &x 1, *x : 2}", "[1]: 2", "{{a: 1}: 2}",
    "seed: 1e999",
    "seed: -inf", "? [a]\n: b", "seed: " + "[" * 2000, "{a: " * 1500, "seed: " + "9" * 5000,
    "like: 0", "like: [a]", "like: {}", "instances_from: 0", "instances_from: [[1]]",
    "every_study: 1",
    "like: mine\nevery_study: {runs: -1}", "like: mine", "policies: null\nseed: 1",
    "studies: 3\nseed: 1",
    "instances: [1]\nseed: 1", "figures: {a: null}\nseed: 1", "seed: 1\nimported: 3",
    "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]", "\ufeffseed: 1", "seed: 1\r\n", "\u2028", "\ud800",
]  # fmt: skip
SOUND_TEXT = yaml.dump(SOUND)


def bomb(depth: int = 30) -> str:
    """Nine to the power of thirty strings in a few lines."""
    lines = ["a0: &a0 [lol, lol, lol]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, depth)]
    return "\n".join(lines)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Text that is YAML, nearly: a sound file with something put in, cut out or put first."""
    piece = draw(st.one_of(st.sampled_from(TEXTS), st.just(bomb()), st.text(max_size=20)))
    at, end = sorted(draw(st.tuples(*[st.integers(0, len(SOUND_TEXT))] * 2)))
    return draw(
        st.sampled_from([
            piece,
            SOUND_TEXT + "\n" + piece,
            piece + "\n" + SOUND_TEXT,
            SOUND_TEXT[:at] + piece + SOUND_TEXT[at:],
            SOUND_TEXT[:at] + SOUND_TEXT[end:],
        ])
    )  # fmt: skip


@pytest.mark.parametrize("cases", CASES)
@pytest.mark.parametrize("sort", ["structures", "texts"])
def test_config(sort: str, cases: int, tmp_path: Path, record_property: Any) -> None:
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "mine.py").write_text(MINE)
    (folder / "other.yaml").write_text(SOUND_TEXT)
    file = folder / "fuzzed.yaml"

    def attempt(text: str) -> bool:
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            campaign = campaigns.load(file)
            campaign.check()
        except ConfigError as error:
            told = str(error)
        else:
            assert_commands_are_safe(campaign)
            return True
        assert_one_sentence(told)
        assert "config/" in told, f"it does not name the file: {told}"
        return False

    survive(cases, structures() if sort == "structures" else texts(), attempt, record_property)
    assert sorted(p.name for p in tmp_path.rglob("*")) == [
        "config", "fuzzed.yaml", "mine.py", "other.yaml",
    ]  # fmt: skip


def assert_commands_are_safe(campaign: campaigns.Campaign) -> None:
    """A shell sees words and nothing else, and files are named below the results folder."""
    for study in campaign.studies:
        for cell in campaign.cells(study):
            typed = campaign.arguments(study, cell["instance"], cell["policy"])
            words = shlex.split(typed)
            assert shlex.split(shlex.join(words)) == words
            for file in cell["files"]:
                assert ".." not in Path(file).parts
                assert Path(file).parts[0] == "results"
    assert math.isfinite(campaign.level)


def test_the_sound_config_is_read(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    file = tmp_path / "sound.yaml"
    file.write_text(SOUND_TEXT)
    campaigns.load(file).check()

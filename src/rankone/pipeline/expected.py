"""Whether regenerated results are the committed ones: `python -m rankone.pipeline.expected`.

Bands, pulls, runs that are played round by round, claims and the pixels of figures are compared to
the bit. Where they differ although all that decides their last bit is the same (arithmetic.py),
that is an error. Elsewhere a rounding may turn a run into another one, so there each mean must lie
within the tolerance that the number of runs allows: Welch's t-test with the standard errors of both
sides, at a level that lets a faithful machine fail once in 1 / RISK checks, however many rows there
are; intervals of claims must overlap; and how much of a picture differs is told.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from rankone.engine import intact
from rankone.pipeline import arithmetic, pulls

BANDS = ["instance", "policy", "t"]
CLAIMS = ["claim", "role", "what"]
RISK = 1e-3  # the chance that a faithful machine elsewhere fails a check
SHOWN = 20  # differences printed, of all that are found


def thin(bands: pd.DataFrame) -> pd.DataFrame:
    """The bands at t = 1, 2, 5, 10, ... and at the horizon: few enough rows to commit."""
    top = bands.groupby(["instance", "policy"])["t"].transform("max")
    round_numbers = [m * 10**k for k in range(19) for m in (1, 2, 5)]
    return bands[bands["t"].isin(round_numbers) | (bands["t"] == top)].reset_index(drop=True)


def unequal(both: pd.DataFrame) -> np.ndarray:
    """The rows of two tables side by side that are not equal to the bit."""
    found = (both["_merge"] != "both").to_numpy()
    for column in both.columns:
        if f"{column}_found" in both.columns:
            ours, theirs = both[f"{column}_found"], both[column]
            found = found | ((ours != theirs) & ~(ours.isna() & theirs.isna())).to_numpy(dtype=bool)
    return found


def beyond_errors(both: pd.DataFrame) -> np.ndarray:
    """The rows whose means differ by more than Welch's t-test forgives, all rows together."""
    return ~((both["mean_found"] - both["mean"]).abs() <= tolerance(both)).to_numpy(dtype=bool)


def tolerance(both: pd.DataFrame) -> np.ndarray:
    """The largest difference of two means that is forgiven."""
    ours, theirs = both["se_found"].to_numpy() ** 2, both["se"].to_numpy() ** 2
    free = ours**2 / (both["runs_found"] - 1) + theirs**2 / (both["runs"] - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = np.where(free > 0, (ours + theirs) ** 2 / free, 1.0)
    quantile = stats.t.isf(RISK / (2 * len(both)), freedom)
    rounding = 1e-9 * np.maximum(1.0, both["mean"].abs())  # where all runs agree, as in a warm-up
    return np.asarray(np.maximum(quantile * np.sqrt(ours + theirs), rounding))


def apart(both: pd.DataFrame) -> np.ndarray:
    """The comparisons of claims whose intervals do not even touch; without one, other numbers."""
    slack = 1e-9 * (1.0 + both["value"].abs())
    low, high = (
        both[[side, f"{side}_found"]].astype(float) for side in ("low", "high")
    )  # an interval may be open
    gap = low.max(axis=1).fillna(-np.inf) - high.min(axis=1).fillna(np.inf)
    return ((gap > slack) | (both["_merge"] != "both")).to_numpy(dtype=bool)


def read_claims(file: Path) -> pd.DataFrame:
    """claims.json as a table: a row for each comparison, with the verdict that it is a part of."""
    rows = [
        {"claim": claim["name"], "verdict": claim["verdict"], **comparison}
        for claim in json.loads(intact.read(file))
        for comparison in claim["comparisons"]
    ]
    return pd.DataFrame(rows)


class Sort(NamedTuple):
    """A sort of table: where it is among the results, and how two of them are compared."""

    pattern: str  # of the files, from the campaign's folder
    key: list[str]
    decides: tuple[str, ...]  # what decides its last bit
    shown: str  # the number that is printed where rows differ
    read: Callable[[Path], pd.DataFrame]
    forgive: Callable[[pd.DataFrame], np.ndarray]  # the rows that differ too much elsewhere


def _csv(file: Path) -> pd.DataFrame:
    found: pd.DataFrame = intact.table(file, dtype={"digest": "str"})
    return found


SORTS = {
    "bands": Sort(
        "bands/*.csv", BANDS, arithmetic.RUNS, "mean", lambda file: thin(_csv(file)), beyond_errors
    ),
    "pulls": Sort("pulls.csv", pulls.KEY, arithmetic.RUNS, "mean", _csv, beyond_errors),
    "plain": Sort(
        "plain.csv", BANDS, arithmetic.RUNS, "mean", lambda file: thin(_csv(file)), beyond_errors
    ),
    "claims": Sort("claims.json", CLAIMS, arithmetic.CLAIMS, "value", read_claims, apart),
}


def differences(
    expected: pd.DataFrame, found: pd.DataFrame, to_the_bit: bool, sort: Sort = SORTS["bands"]
) -> pd.DataFrame:
    """The rows that differ by more than they may: their key, and the number on both sides."""
    both = expected.merge(found, on=sort.key, how="outer", suffixes=("", "_found"), indicator=True)
    wrong = unequal(both) if to_the_bit else sort.forgive(both)
    wrong = wrong | (both["_merge"] != "both").to_numpy()
    table = both.assign(expected=both[sort.shown], found=both[f"{sort.shown}_found"])
    return table.loc[wrong, [*sort.key, "expected", "found"]].reset_index(drop=True)


def compare(found: Path, expected: Path) -> int:
    """Compare all tables of a campaign, print what was seen, return the number of differences."""
    made_on, here = _platform(expected), arithmetic.here()
    other = {k: f"{k} {made_on.get(k)} (here {v})" for k, v in here.items() if made_on.get(k) != v}
    print(f"{expected.name}: made with {', '.join(other.values()) or 'what is here'}.")
    total = 0
    for file in sorted(expected.rglob("*.csv")):
        name = file.relative_to(expected)
        sort = SORTS[name.parts[0].removesuffix(".csv")]
        source = found / name.with_suffix(Path(sort.pattern).suffix)
        theirs = _csv(file)
        ours = sort.read(source) if source.exists() else theirs.head(0)
        bits = differences(theirs, ours, True, sort)
        elsewhere = other.keys() & set(sort.decides)
        wrong = differences(theirs, ours, False, sort) if elsewhere else bits
        total += len(wrong)
        print(f"  {name}: {_words(len(theirs), len(bits), len(wrong), 'rows')}.")
        if len(wrong):
            print(wrong.head(SHOWN).to_string(index=False, na_rep="missing"))
    return total + _new_files(found, expected)


def _platform(expected: Path) -> dict[str, str]:
    """What decided the last bit of the committed tables."""
    found: dict[str, str] = json.loads((expected / "platform.json").read_text(encoding="utf-8"))
    return found


def _new_files(found: Path, expected: Path) -> int:
    """How many regenerated tables have nothing to be compared with."""
    new = [name for name, _, _ in _found(found) if not (expected / name).exists()]
    for name in new:
        print(f"  {name}: not among the committed results.")
    return len(new)


def _found(found: Path) -> list[tuple[Path, Path, Sort]]:
    """The regenerated tables: their names among the expected ones, their files, their sorts."""
    return [
        (file.relative_to(found).with_suffix(".csv"), file, sort)
        for sort in SORTS.values()
        for file in sorted(found.glob(sort.pattern))
    ]


def compare_figures(found: Path, expected: Path, figures: Path, settings: str) -> int:
    """Compare the pixels of a campaign's figures with the committed pictures of it."""
    from matplotlib import image

    drawn = json.loads((figures / "source.json").read_text(encoding="utf-8"))
    if drawn["campaign"] != expected.name:
        return 0
    if drawn["settings"] != settings:
        print("  figures: not compared, the committed ones were drawn from other settings.")
        return 0
    made_on, here = _platform(expected), arithmetic.here()
    same = all(made_on.get(key) == here[key] for key in arithmetic.PIXELS)
    total = 0
    for file in sorted(found.glob("figures/*.png")):
        if not (figures / file.name).exists():
            print(f"  figures/{file.name}: not among the committed figures.")
            total += 1
            continue
        theirs, ours = (image.imread(path) for path in (figures / file.name, file))
        differ, largest = theirs.size // theirs.shape[-1], 1.0
        if theirs.shape == ours.shape:
            apart = np.abs(theirs - ours).max(axis=-1)
            differ, largest = int(np.sum(apart > 0)), float(apart.max())
        pixels = theirs.size // theirs.shape[-1]
        words = _words(pixels, differ, differ if same else 0, "pixels")
        print(f"  figures/{file.name}: {words}" + (f", by up to {largest:.1%}." if differ else "."))
        total += differ > 0 and same
    return total


def _words(size: int, unlike: int, wrong: int, unit: str) -> str:
    """What was seen in a file, in words."""
    if not unlike:
        return f"{size:,} {unit}, identical to the bit"
    if wrong:
        return f"{unlike:,} of {size:,} {unit} differ, {wrong:,} by more than they may"
    within = ", all within their errors" if unit == "rows" else ""
    return f"{unlike:,} of {size:,} {unit} differ{within}"


def renew(found: Path, expected: Path) -> int:
    """Make what was found the expected tables, and note the platform beside them."""
    for old in expected.rglob("*.csv"):
        old.unlink()
    for name, file, sort in _found(found):
        (expected / name).parent.mkdir(parents=True, exist_ok=True)
        sort.read(file).to_csv(expected / name, index=False, lineterminator="\n")
    expected.mkdir(parents=True, exist_ok=True)
    text = json.dumps(arithmetic.here(), indent=2) + "\n"
    (expected / "platform.json").write_text(text, encoding="utf-8")
    print(f"{expected}: renewed. Look at the difference before you commit it.")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="rankone.pipeline.expected", description=__doc__)
    parser.add_argument("found", type=Path, help="folder with the regenerated <campaign>")
    parser.add_argument("expected", type=Path, help="folder with the committed <campaign>")
    parser.add_argument("campaigns", nargs="+", help="which campaigns to compare")
    parser.add_argument("--renew", action="store_true", help="replace the committed tables")
    parser.add_argument("--figures", type=Path, help="folder with the committed figures")
    parser.add_argument("--settings", default="", help="digest of the config that they are of")
    options = parser.parse_args(arguments)
    total = 0
    for name in options.campaigns:
        folders = options.found / name, options.expected / name
        total += renew(*folders) if options.renew else compare(*folders)
        if options.figures and not options.renew:
            total += compare_figures(*folders, options.figures, options.settings)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())

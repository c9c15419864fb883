"""Whether regenerated bands are the committed ones: `python -m rankone.pipeline.expected`.

What comes out is first compared to the bit. Where rows differ although everything that may decide
the last bit is the same, that is an error. With another processor or other versions a rounding may
turn a run into another one, so there each mean must lie within the tolerance that the number of
runs allows: Welch's t-test with the standard errors of both sides, at a level that lets a faithful
machine fail once in 1 / RISK checks, however many rows there are.
"""

import argparse
import json
import platform
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

KEY = ["instance", "policy", "t"]
RISK = 1e-3  # the chance that a faithful machine elsewhere fails a check
SHOWN = 20  # differences printed, of all that are found


def this_platform() -> dict[str, str]:
    """What may decide the last bit: versions, C library, and the processor Numba compiles for."""
    import llvmlite.binding  # type: ignore[import-untyped]

    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": metadata.version("numba"),
        "system": f"{platform.system()} {platform.machine()} {' '.join(platform.libc_ver())}",
        "processor": llvmlite.binding.get_host_cpu_name(),
    }


def thin(bands: pd.DataFrame) -> pd.DataFrame:
    """The bands at t = 1, 2, 5, 10, ... and at the horizon: few enough rows to commit."""
    top = bands.groupby(["instance", "policy"])["t"].transform("max")
    round_numbers = [m * 10**k for k in range(19) for m in (1, 2, 5)]
    return bands[bands["t"].isin(round_numbers) | (bands["t"] == top)].reset_index(drop=True)


def differences(expected: pd.DataFrame, found: pd.DataFrame, to_the_bit: bool) -> pd.DataFrame:
    """The rows that differ by more than they may: their key, both means, the allowed difference."""
    both = expected.merge(found, on=KEY, how="outer", suffixes=("", "_found"), indicator=True)
    alone = both["_merge"] != "both"
    if to_the_bit:
        allowed = np.zeros(len(both))
        columns = [column for column in expected.columns if column not in KEY]
        wrong = np.zeros(len(both), dtype=bool)
        for column in columns:
            ours, theirs = both[f"{column}_found"], both[column]
            wrong |= ((ours != theirs) & ~(ours.isna() & theirs.isna())).to_numpy()
    else:
        allowed = tolerance(both)
        wrong = ~((both["mean_found"] - both["mean"]).abs() <= allowed).to_numpy()
    table = both.assign(expected=both["mean"], found=both["mean_found"], allowed=allowed)
    return table.loc[alone | wrong, [*KEY, "expected", "found", "allowed"]].reset_index(drop=True)


def tolerance(both: pd.DataFrame) -> np.ndarray:
    """The largest difference of two means that Welch's t-test forgives, all rows together."""
    ours, theirs = both["se_found"].to_numpy() ** 2, both["se"].to_numpy() ** 2
    free = ours**2 / (both["runs_found"] - 1) + theirs**2 / (both["runs"] - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = np.where(free > 0, (ours + theirs) ** 2 / free, 1.0)
    quantile = stats.t.isf(RISK / (2 * len(both)), freedom)
    rounding = 1e-9 * np.maximum(1.0, both["mean"].abs())  # where all runs agree, as in a warm-up
    return np.asarray(np.maximum(quantile * np.sqrt(ours + theirs), rounding))


def compare(found: Path, expected: Path) -> int:
    """Compare all bands of a campaign, print what was seen, return the number of differences."""
    made_on = json.loads((expected / "platform.json").read_text(encoding="utf-8"))
    here = this_platform()
    other = [f"{k} {made_on.get(k)} (here {v})" for k, v in here.items() if made_on.get(k) != v]
    print(f"{expected.name}: made with {', '.join(other) or 'what is here'}.")
    total = 0
    files = {file.name for folder in (found, expected) for file in folder.glob("*.csv")}
    for name in sorted(files):
        tables = [_read(folder / name) for folder in (expected, found)]
        bits = differences(tables[0], thin(tables[1]), to_the_bit=True)
        wrong = differences(tables[0], thin(tables[1]), to_the_bit=False) if other else bits
        total += len(wrong)
        print(f"  {name}: {_words(len(tables[0]), len(bits), len(wrong))}.")
        if len(wrong):
            print(wrong.head(SHOWN).to_string(index=False, na_rep="missing"))
    return total


def _words(rows: int, unequal: int, wrong: int) -> str:
    """What was seen in a file, in words."""
    if not unequal:
        return f"{rows} rows, identical to the bit"
    if not wrong:
        return f"{unequal} of {rows} rows differ, all within their errors"
    return f"{unequal} of {rows} rows differ, {wrong} by more than they may"


def renew(found: Path, expected: Path) -> int:
    """Make what was found the expected bands, and note the platform beside them."""
    expected.mkdir(parents=True, exist_ok=True)
    for old in expected.glob("*.csv"):
        old.unlink()
    for file in sorted(found.glob("*.csv")):
        thin(_read(file)).to_csv(expected / file.name, index=False, lineterminator="\n")
    text = json.dumps(this_platform(), indent=2) + "\n"
    (expected / "platform.json").write_text(text, encoding="utf-8")
    print(f"{expected}: renewed. Look at the difference before you commit it.")
    return 0


def _read(file: Path) -> pd.DataFrame:
    """Bands as they were written, each float to the bit; no rows where there is no file."""
    if file.exists():
        return pd.read_csv(file)
    names, numbers = KEY[:2], [*KEY[2:], "runs", "mean", "se", "p10", "p50", "p90"]
    kinds = dict.fromkeys(names, "str") | dict.fromkeys(numbers, "float64")
    return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in kinds.items()})


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="rankone.pipeline.expected", description=__doc__)
    parser.add_argument("found", type=Path, help="folder with the regenerated <campaign>/bands")
    parser.add_argument("expected", type=Path, help="folder with the committed <campaign>")
    parser.add_argument("campaigns", nargs="+", help="which campaigns to compare")
    parser.add_argument("--renew", action="store_true", help="replace the committed bands")
    options = parser.parse_args(arguments)
    act = renew if options.renew else compare
    results = [
        act(options.found / name / "bands", options.expected / name) for name in options.campaigns
    ]
    return 1 if any(results) else 0


if __name__ == "__main__":
    sys.exit(main())

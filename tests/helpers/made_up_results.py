"""Made-up results of all campaigns in the shape of real ones, for the tests of the report."""

import json
from pathlib import Path

import pandas as pd
from helpers import synthetic

from rankone.paper import verdicts
from rankone.paper.verdicts import Comparisons, Part
from rankone.pipeline.campaigns import Campaign, Campaigns
from rankone.stats.intervals import Interval

ROOT = Path(__file__).parents[2]
CONFIG, CAPTIONS = ROOT / "config", ROOT / "workflow/report"
CAMPAIGNS = ("paper", "claims", "published", "benchmark", "league", "beyond")
HEIGHTS = {"rank1elim_kl": 2400.0, "kl_ucb": 300.0, "osub": 150.0}


def write(folder: Path, *names: str) -> Campaigns:
    """The results of these campaigns under folder/results."""
    campaigns, results = Campaigns(CONFIG), folder / "results"
    makers = {"claims": claims, "published": published, "benchmark": benchmark}
    for name in names:
        home = results / name
        for part in ("bands", "benchmarks/runs", "times"):
            (home / part).mkdir(parents=True)
        if name in makers:
            makers[name](home)
        else:
            bands(campaigns.peek(name), home)
            experiments(campaigns.peek(name), home)
        line = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"
        job = "3.5\t0:00:03\t180.0\t400\t80\t90\t0\t0\t18\t2.5\n"
        (home / "benchmarks/runs/job.tsv").write_text(line + job, encoding="utf-8")
    return campaigns


def bands(campaign: Campaign, home: Path) -> None:
    for study in campaign.studies.values():
        finals = {
            (instance.name, policy.name): (HEIGHTS.get(policy.name, 75.0 + place), 12.0)
            for instance in study.instances
            for place, policy in enumerate(study.policies)
        }
        table = synthetic.bands(finals, study.horizon, study.runs)
        table.to_csv(home / f"bands/{study.name}.csv", index=False)


def experiments(campaign: Campaign, home: Path) -> None:
    """Cases of a league or of ensembles, and slopes by decade where a figure asks for them."""
    for name, entry in campaign.experiments.items():
        folder = home / "experiments" / name
        folder.mkdir(parents=True)
        for place, policy in enumerate(entry.get("policies", ())):
            cases = [*campaign.instances, "random", "random"] if name == "league" else "aaabbb"
            rows = [
                {"group": group, "case": case, "policy": policy, "label": policy, "t": 1000}
                | {"plays": place != 1 or case != 1, "runs": 9, "bound": 60.0, "cpu_ms": 1.0}
                | {"mean": 50.0 + 9 * place + case, "se": 1.5, "share": 0.9 + place + 0.5 * case}
                for case, group in enumerate(cases)
            ]
            pd.DataFrame(rows).to_csv(folder / f"{policy}.csv", index=False)
    for entry in campaign.figures.values():
        if entry["kind"] == "slopes_by_decade":
            study = campaign.studies[entry["study"]]
            columns = ["instance", "policy", "runs", "last", "in_log", "in_log_se"]
            rows = [
                (instance.name, policy.name, 9, last, 8.0 + place, 0.5)
                for instance in study.instances
                for place, policy in enumerate(study.policies)
                for last in (1000, 10**5, 10**6)
            ]
            (home / "slopes").mkdir(exist_ok=True)
            made = pd.DataFrame(rows, columns=columns)
            made.to_csv(home / f"slopes/{study.name}.csv", index=False)


def claims(home: Path) -> None:
    """One claim with each verdict; what is compared is called by the policies' names."""

    def part(what: str, value: float, **limits: float) -> Part:
        return Part(what, Interval(value, 0.9 * value, 1.1 * value), **limits)

    ratios = [part("A / B on K = 16", 3.25, least=10), part("C / B", 60, least=10)]
    stricter, control = part("TS / UTS", 9, most=5), part("rounds", 7, least=1)
    decided = {
        verdicts.HOLDS: Comparisons([part("slope of UTS on K = 4", 1.0, least=0.5, most=1.5)]),
        verdicts.REMARK: Comparisons([part("UTS / TS", 0.5, most=1.0)], [stricter]),
        verdicts.FAILS: Comparisons(ratios),
        verdicts.OPEN: Comparisons([part("rise", 1.0, least=1.0)], (), [control]),
    }
    records = []
    for number, (word, comparisons) in enumerate(decided.items(), start=1):
        verdict = verdicts.conclude("as it was made up", comparisons, "a remark")
        assert verdict.verdict == word
        entry = {
            "number": number,
            "name": f"claim{number}",
            "statement": f"Claim <{number}> is so.",
        }
        records.append(verdicts.record(entry, verdict, ["results/claims/bands/figures.csv"]))
    (home / "claims.json").write_text(json.dumps(records), encoding="utf-8")


def published(home: Path) -> None:
    row = {
        "source": "trinh2020-pmlr117", "experiment": "figure3", "K": 4, "L": 4, "t": 300_000,
        "policy": "UTS(gamma=2)", "statistic": "mean", "published": 75.8, "reading_error": 0.3,
        "published_runs": 100, "variant": "uts", "variant_label": "UTS", "main": True, "ours": 75.0,
        "ours_se": 0.3, "ours_runs": 2000, "theirs_se": 1.3, "combined_se": 1.4, "z": 0.57,
    }  # fmt: skip
    far = row | {"policy": "OSUB", "variant": "osub", "variant_label": "OSUB", "z": 8.0}
    graph = row | {"experiment": "table1 line", "K": None, "L": None, "statistic": "mean/log(T)"}
    table = pd.DataFrame([row, far | {"published": 90.0}, graph, far | {"main": False}])
    table.astype({"K": "Int64", "L": "Int64"}).to_csv(home / "compared.csv", index=False)
    (home / "findings.md").write_text("- **Clock.** It differs by 0.5.\n- **Rest.** No.\n")
    text = "# Discrepancies\n\nWhy.\n\n## The clock\n\n| a | b |\n|---|---:|\n| x | 1.5 |\n"
    (home / "discrepancies.md").write_text(text)


def benchmark(home: Path) -> None:
    for place, policy in enumerate(Campaigns(CONFIG).peek("benchmark").policies, start=1):
        rows = []
        for size, horizon in ((4, 1000), (4, 300_000), (4, 10**12), (16, 300_000)):
            plain = None if horizon > 1e9 else 0.001 * horizon
            rows.append((policy, size, horizon, place * size * 0.05, plain, 400))
        columns = ["policy", "size", "horizon", "fast_ms", "plain_ms", "events"]
        pd.DataFrame(rows, columns=columns).to_csv(home / f"times/{policy}.csv", index=False)

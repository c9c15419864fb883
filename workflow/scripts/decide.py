"""Decide the claims of a campaign, each from its own files."""

import json

from rankone.engine import intact
from rankone.paper.verdicts import record
from rankone.pipeline import jobs, outputs

jobs.log_to(snakemake.log[0])

verdicts = []
for name, entry in snakemake.params.claims.items():
    files = snakemake.params.evidence[name]
    verdict = outputs.make("claims", snakemake.params.given[name], files)
    used = sorted({file for paths in files.values() for file in paths})
    verdicts.append(record({"name": name, **entry}, verdict, used))
verdicts.sort(key=lambda verdict: verdict["number"])
text = json.dumps(verdicts, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
intact.write(snakemake.output.verdicts, text)

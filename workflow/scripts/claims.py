"""Decide every claim, and write the verdicts as data and as a table."""

import json
import sys
from pathlib import Path

import pandas as pd

from rankone import theory
from rankone.paper import claims
from rankone.pipeline import campaigns as config

sys.stderr = open(snakemake.log[0], "w", buffering=1)

entries = snakemake.params.instances
instances = {entry["name"]: config.build(entry) for entry in entries}
constants = pd.DataFrame(
    {
        "unimodal": {name: theory.unimodal_constant(one) for name, one in instances.items()},
        "lai_robbins": {name: theory.lai_robbins_constant(one) for name, one in instances.items()},
    }
)
evidence = claims.Evidence(
    bands={Path(file).stem: pd.read_csv(file) for file in snakemake.input.bands},
    slopes=pd.concat(map(pd.read_csv, snakemake.input.slopes), ignore_index=True),
    constants=constants,
    unimodality=pd.read_csv(snakemake.input.unimodality),
    exploration=pd.read_csv(snakemake.input.exploration),
    labels=snakemake.params.labels,
)
verdicts = claims.decide(evidence, snakemake.params.rules)
Path(snakemake.output[0]).write_text(
    json.dumps(verdicts, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8"
)
claims.write(verdicts, snakemake.output[1:], snakemake.params.caption)

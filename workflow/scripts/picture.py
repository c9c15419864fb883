"""Draw one of the pictures that go beyond the paper."""

import math
import sys
from pathlib import Path

import pandas as pd

from rankone import theory
from rankone.pipeline import campaigns as config
from rankone.show import pictures, style

sys.stderr = open(snakemake.log[0], "w", buffering=1)

name, studies = snakemake.wildcards.picture, snakemake.params.studies
study = studies.get("horizon" if name == "decades" else name, studies["sensitivity"])
panels = []
for entry in study["instances"]:
    instance = config.build(entry)
    bounds = theory.constants(instance)
    line = bounds["unimodal"] * math.log(study["horizon"])
    panels.append({**entry, **bounds, "size": instance.shape[0], "bound": line})

if name in ("scaling", "sensitivity"):
    bands = pd.read_csv(snakemake.input[name])
    figure = getattr(pictures, name)(bands, study["policies"], panels)
elif name == "decades":
    figure = pictures.slopes(pd.read_csv(snakemake.input.decades), study["policies"], panels)
else:
    files = [file for file in snakemake.input.ensembles if Path(file).parent.name == name]
    table = pd.concat([pd.read_csv(file, dtype={"group": str}) for file in files])
    chosen = snakemake.params.ensembles["policies"]
    policies = [policy for policy in study["policies"] if policy["name"] in chosen]
    figure = pictures.ensembles(table, policies, **pictures.ENSEMBLES[name])
style.save(figure, snakemake.output)

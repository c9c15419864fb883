"""Make the table of the lower bounds' constants."""

import sys

from rankone import theory
from rankone.pipeline import campaigns as config
from rankone.show import tables

sys.stderr = open(snakemake.log[0], "w", buffering=1)

shown = snakemake.params.shown
constants = []
for entry in shown["instances"]:
    slopes = theory.constants(config.build(entry))
    constants.append({"name": entry["name"], "label": entry["label"], **slopes})
table = tables.lower_bounds(constants, shown["horizon"])
tables.write(table, snakemake.output, "lower_bounds", snakemake.params.caption)

"""Make the table of the lower bounds' constants."""

import sys

from rankone import config, tables, theory

sys.stderr = open(snakemake.log[0], "w", buffering=1)

shown = snakemake.params.shown
constants = []
for entry in shown["instances"]:
    instance = config.build(entry)
    slopes = {
        "unimodal": theory.unimodal_constant(instance),
        "lai_robbins": theory.lai_robbins_constant(instance),
    }
    constants.append({"name": entry["name"], "label": entry["label"], **slopes})
table = tables.lower_bounds(constants, shown["horizon"])
tables.write(table, snakemake.output, "lower_bounds", snakemake.params.caption)

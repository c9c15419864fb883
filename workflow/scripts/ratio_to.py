"""Make the table of ratios to a reference policy."""

import sys

import pandas as pd

from rankone.show import tables

sys.stderr = open(snakemake.log[0], "w", buffering=1)

shown = snakemake.params.shown
bands = pd.read_csv(snakemake.input.bands[0])
policies = [policy for policy in shown["policies"] if policy["name"] not in shown["omit"]]
table = tables.ratio_to(bands, policies, shown["instances"], shown["reference"])
tables.write(table, snakemake.output, "ratio_to", snakemake.params.caption)

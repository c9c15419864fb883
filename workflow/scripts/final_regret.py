"""Make the table of final regrets."""

import sys

import pandas as pd

from rankone.paper import published
from rankone.show import tables

sys.stderr = open(snakemake.log[0], "w", buffering=1)

shown = snakemake.params.shown
bands = pd.read_csv(snakemake.input.bands[0])
policies = [policy for policy in shown["policies"] if policy["name"] not in shown["omit"]]
table = tables.final_regret(bands, policies, shown["instances"], published.load())
tables.write(table, snakemake.output, "final_regret", snakemake.params.caption)

"""Make a table, in all formats."""

import sys

from rankone.pipeline import outputs
from rankone.show import formats

sys.stderr = open(snakemake.log[0], "w", buffering=1)

table = outputs.make("tables", snakemake.params.given, dict(snakemake.input.items()))
formats.write(table, snakemake.output, snakemake.params.caption)

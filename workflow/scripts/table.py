"""Make a table, in all formats."""

from rankone.pipeline import jobs, outputs
from rankone.show import formats

jobs.log_to(snakemake.log[0])

table = outputs.make("tables", snakemake.params.given, dict(snakemake.input.items()))
formats.write(table, snakemake.output, snakemake.params.caption)

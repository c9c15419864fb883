"""Write the bands of a study."""

import sys

from rankone.pipeline.campaigns import read_cells
from rankone.stats import bands

sys.stderr = open(snakemake.log[0], "w", buffering=1)

table = bands.table(read_cells(snakemake.params.cells))
table.to_csv(snakemake.output.bands, index=False)

"""Write the bands of a study."""

import sys

from rankone.pipeline.campaigns import open_cells
from rankone.stats import bands

sys.stderr = open(snakemake.log[0], "w", buffering=1)

table = bands.table(open_cells(snakemake.params.cells))
table.to_csv(snakemake.output.bands, index=False)

"""Write the bands of a study."""

import sys

from rankone.engine import intact
from rankone.pipeline.campaigns import open_cells
from rankone.stats import bands

sys.stderr = open(snakemake.log[0], "w", buffering=1)

table = bands.table(open_cells(snakemake.params.cells))
intact.write(snakemake.output.bands, table.to_csv(index=False))

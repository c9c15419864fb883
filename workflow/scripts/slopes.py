"""Write the local slopes of a study."""

import sys

from rankone.engine import intact
from rankone.pipeline.campaigns import open_cells
from rankone.stats import slopes

sys.stderr = open(snakemake.log[0], "w", buffering=1)

cells = open_cells(snakemake.params.cells)
table = slopes.table(cells, snakemake.params.windows, snakemake.params.loglog)
intact.write(snakemake.output.slopes, table.to_csv(index=False))

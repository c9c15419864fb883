"""Write the local slopes of a study."""

from rankone.engine import intact
from rankone.pipeline import jobs
from rankone.pipeline.campaigns import open_cells
from rankone.stats import slopes

jobs.log_to(snakemake.log[0])

cells = open_cells(snakemake.params.cells)
table = slopes.table(cells, snakemake.params.windows, snakemake.params.loglog)
intact.write(snakemake.output.slopes, table.to_csv(index=False))

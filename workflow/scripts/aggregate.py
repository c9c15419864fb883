"""Write the bands of a study."""

from rankone.engine import intact
from rankone.pipeline import jobs
from rankone.pipeline.campaigns import open_cells
from rankone.stats import bands

jobs.log_to(snakemake.log[0])

table = bands.table(open_cells(snakemake.params.cells))
intact.write(snakemake.output.bands, table.to_csv(index=False))

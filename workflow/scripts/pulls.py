"""Write how often arms were pulled in the studies of a campaign."""

from rankone.engine import intact
from rankone.pipeline import jobs, pulls

jobs.log_to(snakemake.log[0])

table = pulls.table(snakemake.params.cells)
intact.write(snakemake.output.pulls, table.to_csv(index=False))

"""Play the policies of a campaign round by round."""

from rankone.engine import intact
from rankone.pipeline import jobs, plain

jobs.log_to(snakemake.log[0])

table = plain.table(**snakemake.params.given)
intact.write(snakemake.output.plain, table.to_csv(index=False))

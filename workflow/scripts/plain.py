"""Play the policies of a campaign round by round."""

import sys

from rankone.engine import intact
from rankone.pipeline import plain

sys.stderr = open(snakemake.log[0], "w", buffering=1)

table = plain.table(**snakemake.params.given)
intact.write(snakemake.output.plain, table.to_csv(index=False))

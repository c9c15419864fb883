"""Write how often arms were pulled in the studies of a campaign."""

import sys

from rankone.engine import intact
from rankone.pipeline import pulls

sys.stderr = open(snakemake.log[0], "w", buffering=1)

table = pulls.table(snakemake.params.cells)
intact.write(snakemake.output.pulls, table.to_csv(index=False))

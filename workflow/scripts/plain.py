"""Play the policies of a campaign round by round."""

import sys

from rankone.pipeline import plain

sys.stderr = open(snakemake.log[0], "w", buffering=1)

table = plain.table(**snakemake.params.given)
table.to_csv(snakemake.output.plain, index=False)

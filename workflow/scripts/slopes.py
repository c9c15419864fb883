"""Write the local slopes of a study."""

import sys

from rankone.stats import slopes

sys.stderr = open(snakemake.log[0], "w", buffering=1)

early, late, loglog = snakemake.params.early, snakemake.params.late, snakemake.params.loglog
table = slopes.study(snakemake.input.runs, early, late, loglog)
table.to_csv(snakemake.output.slopes, index=False)

"""Write the bands of a study."""

import sys

from rankone.stats.bands import study

sys.stderr = open(snakemake.log[0], "w", buffering=1)

study(snakemake.input.runs).to_csv(snakemake.output.bands, index=False)

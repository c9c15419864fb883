"""Play UTS with ties broken at random and by first index."""

import sys

from rankone.paper import tie_breaking as ties
from rankone.pipeline import campaigns as config
from rankone.show import tables

sys.stderr = open(snakemake.log[0], "w", buffering=1)

asked = snakemake.params.asked
amount = {"horizon": asked["horizon"], "runs": asked["runs"], "seed": snakemake.params.seed}
table = ties.study(config.build(snakemake.params.instance), **amount)
tables.write(table, snakemake.output, "", snakemake.params.caption)

"""Draw the neighbours of an arm, and an increasing path from it."""

import sys

from rankone.pipeline import campaigns as config
from rankone.show import figures, style

sys.stderr = open(snakemake.log[0], "w", buffering=1)

shown = snakemake.params.shown
instance = config.build(shown["instances"][0])
row, column = shown["arm"]
arm = (row - 1) * instance.shape[1] + column - 1
style.save(figures.figure1(instance, arm), snakemake.output)

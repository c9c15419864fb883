"""Draw a figure, in all formats."""

import sys

from rankone.pipeline import outputs
from rankone.show import style

sys.stderr = open(snakemake.log[0], "w", buffering=1)

figure = outputs.make("figures", snakemake.params.given, dict(snakemake.input.items()))
style.save(figure, snakemake.output)

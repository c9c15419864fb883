"""Draw the regret of the policies, one panel an instance."""

import sys

import pandas as pd

from rankone.show import figures, style

sys.stderr = open(snakemake.log[0], "w", buffering=1)

shown = snakemake.params.shown
bands = pd.read_csv(snakemake.input.bands[0])
figure = figures.comparison(bands, shown["policies"], shown["instances"], omit=shown["omit"])
style.save(figure, snakemake.output)

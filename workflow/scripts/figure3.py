"""Draw figure 3."""

import sys

import pandas as pd

from rankone import figures, style

sys.stderr = open(snakemake.log[0], "w", buffering=1)

shown = snakemake.params.figure
bands = pd.read_csv(snakemake.input.bands)
figure = figures.comparison(bands, shown["policies"], shown["panels"], omit=shown["omit"])
style.save(figure, snakemake.output)

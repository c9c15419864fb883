"""Draw figure 2."""

import sys

import pandas as pd

from rankone import figures, style

sys.stderr = open(snakemake.log[0], "w", buffering=1)

shown = snakemake.params.figure
bands = pd.read_csv(snakemake.input.bands)
figure = figures.figure2(bands, shown["policies"], shown["panels"][0]["name"])
style.save(figure, snakemake.output)

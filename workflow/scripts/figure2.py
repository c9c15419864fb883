"""Draw curves that nearly coincide."""

import sys

import pandas as pd

from rankone.show import figures, style

sys.stderr = open(snakemake.log[0], "w", buffering=1)

shown = snakemake.params.shown
bands = pd.read_csv(snakemake.input.bands[0])
figure = figures.figure2(bands, shown["policies"], shown["instance"])
style.save(figure, snakemake.output)

"""Draw the regret against ln t, with the lower bounds."""

import sys

import pandas as pd

from rankone import theory
from rankone.pipeline import campaigns as config
from rankone.show import figures, style

sys.stderr = open(snakemake.log[0], "w", buffering=1)

shown = snakemake.params.shown
instance = config.build(shown["instances"][0])
bounds = [
    {"label": "Lower bound (Prop. 1)", "constant": theory.unimodal_constant(instance)},
    {"label": "Lai and Robbins", "constant": theory.lai_robbins_constant(instance)},
]
bands = pd.read_csv(snakemake.input.bands[0])
figure = figures.figure4(bands, shown["policies"], shown["instance"], bounds, omit=shown["omit"])
style.save(figure, snakemake.output)

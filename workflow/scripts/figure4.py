"""Draw figure 4."""

import sys

import pandas as pd

from rankone import config, figures, style, theory

sys.stderr = open(snakemake.log[0], "w", buffering=1)

shown = snakemake.params.figure
panel = shown["panels"][0]
instance = config.build(panel)
bounds = [
    {"label": "Lower bound (Prop. 1)", "constant": theory.unimodal_constant(instance)},
    {"label": "Lai and Robbins", "constant": theory.lai_robbins_constant(instance)},
]
bands = pd.read_csv(snakemake.input.bands)
figure = figures.figure4(bands, shown["policies"], panel["name"], bounds, omit=shown["omit"])
style.save(figure, snakemake.output)

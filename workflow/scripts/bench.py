"""Put the times of the policies and of the starts into tables and a picture."""

import sys

import pandas as pd

from rankone.pipeline import benchmark as bench
from rankone.show import figures, style, tables

sys.stderr = open(snakemake.log[0], "w", buffering=1)

policies = snakemake.params.policies
times = pd.concat(map(pd.read_csv, snakemake.input.times), ignore_index=True)
drawings = [path for path in snakemake.output if path.endswith(("png", "pdf", "svg"))]
style.save(figures.speed(times, policies), drawings)
labels = {policy["name"]: policy["label"] for policy in policies}
shown = {"speed": bench.speed(times, labels), "summary": bench.summary(times, labels)}
shown["starts"] = bench.starts(pd.read_csv(snakemake.input.starts))
for name, table in shown.items():
    files = [path for path in snakemake.output if f"/{name}." in path and path not in drawings]
    tables.write(table, files, "", snakemake.params.caption if name == "speed" else "")

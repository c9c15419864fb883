"""Put the times of the policies and of the starts into tables and a picture."""

import sys

import pandas as pd

from rankone import bench, figures, style, tables

sys.stderr = open(snakemake.log[0], "w", buffering=1)

policies = snakemake.params.policies
times = pd.concat(map(pd.read_csv, snakemake.input.times), ignore_index=True)
drawings = [path for path in snakemake.output if path.endswith(("png", "pdf", "svg"))]
style.save(figures.speed(times, policies), drawings)
labels = {policy["name"]: policy["label"] for policy in policies}
written = [path for path in snakemake.output if path.startswith("results/bench/speed.")]
speed = bench.speed(times, labels)
tables.write(speed, sorted(set(written) - set(drawings)), "", snakemake.params.caption)
tables.write(pd.read_csv(snakemake.input.starts), ["results/bench/starts.md"])

"""Write the text on discrepancies."""

import sys
from pathlib import Path

import pandas as pd

from rankone.paper import discrepancies

sys.stderr = open(snakemake.log[0], "w", buffering=1)

compared = pd.read_csv(snakemake.input.compared, dtype={"K": "Int64", "L": "Int64"})
template = Path(snakemake.input.template).read_text(encoding="utf-8")
matrices = [
    discrepancies.Matrix(entry["label"], entry["u"], entry["v"])
    for entry in snakemake.params.instances
]
gammas, limit = snakemake.params.gammas, snakemake.params.limit
text = discrepancies.write(template, compared, matrices, gammas, limit)
Path(snakemake.output.text).write_text(text, encoding="utf-8", newline="\n")

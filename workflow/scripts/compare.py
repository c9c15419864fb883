"""Set every published number beside ours."""

import sys

from rankone.paper import published
from rankone.pipeline.campaigns import read_cells

sys.stderr = open(snakemake.log[0], "w", buffering=1)

found = zip(snakemake.params.cells, read_cells(snakemake.params.cells), strict=True)
cells = [
    published.Cell(*cell["about"], runs.checkpoints, runs.regret) for cell, (_, _, runs) in found
]
table = published.compare(published.load(), cells)
table.to_csv(snakemake.output.compared, index=False)

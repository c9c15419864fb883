"""Set every published number beside ours."""

import sys

from rankone.engine import intact
from rankone.paper import published
from rankone.pipeline.campaigns import open_cells

sys.stderr = open(snakemake.log[0], "w", buffering=1)

told = published.load()
found = zip(snakemake.params.cells, open_cells(snakemake.params.cells), strict=True)
cells = [published.cell(*cell["about"], batches, told["t"]) for cell, (_, _, batches) in found]
table = published.compare(told, cells)
intact.write(snakemake.output.compared, table.to_csv(index=False))

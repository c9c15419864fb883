"""Set every published number beside ours."""

from rankone.engine import intact
from rankone.paper import published
from rankone.pipeline import jobs
from rankone.pipeline.campaigns import open_cells

jobs.log_to(snakemake.log[0])

told = published.load()
found = zip(snakemake.params.cells, open_cells(snakemake.params.cells), strict=True)
cells = [published.cell(*cell["about"], batches, told["t"]) for cell, (_, _, batches) in found]
table = published.compare(told, cells)
intact.write(snakemake.output.compared, table.to_csv(index=False))

"""Set every published number beside ours: tables and a picture."""

import sys
from pathlib import Path

import numpy as np

from rankone.paper import published
from rankone.show import pictures, style
from rankone.stats import bands as aggregate

sys.stderr = open(snakemake.log[0], "w", buffering=1)

cells = []
for cell in snakemake.params.cells:
    batches = [aggregate.read(Path(file)) for file in cell["files"]]
    regret = np.concatenate([batch.regret for batch in batches])
    cells.append(published.Cell(cell["instance"], cell["policy"], batches[0].checkpoints, regret))
table, limit = published.compare(published.load(), cells), snakemake.params.limit
main = table[table["main"]]
published.write(main, snakemake.output[:4], snakemake.params.caption)
variants = published.summary(table, limit)
published.write_summary(variants, snakemake.output.variants, snakemake.params.caption_variants)
table.to_csv(snakemake.output.all, index=False)
style.save(pictures.published(main, limit), snakemake.output.figures)

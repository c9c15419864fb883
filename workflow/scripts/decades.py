"""Write the slopes from decade to decade."""

import sys
from pathlib import Path

import numpy as np

from rankone.stats import bands as aggregate
from rankone.stats import slopes

sys.stderr = open(snakemake.log[0], "w", buffering=1)

cells = []
for cell in snakemake.params.cells:
    batches = [aggregate.read(Path(file)) for file in cell["files"]]
    regret = np.concatenate([batch.regret for batch in batches])
    runs = batches[0]._replace(regret=regret)
    cells.append((cell["instance"]["name"], cell["policy"]["name"], runs))
slopes.decades(cells, snakemake.params.level).to_csv(snakemake.output[0], index=False)

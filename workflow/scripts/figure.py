"""Draw a figure, in all formats."""

from rankone.pipeline import jobs, outputs
from rankone.show import style

jobs.log_to(snakemake.log[0])

figure = outputs.make("figures", snakemake.params.given, dict(snakemake.input.items()))
style.save(figure, snakemake.output)

"""Write the cases of an experiment."""

from rankone.engine import intact
from rankone.pipeline import jobs, outputs

jobs.log_to(snakemake.log[0])

cases = outputs.make("experiments", snakemake.params.given, {})
intact.write(snakemake.output.cases, cases.to_csv(index=False))

"""Write the cases of an experiment."""

import sys

from rankone.pipeline import outputs

sys.stderr = open(snakemake.log[0], "w", buffering=1)

cases = outputs.make("experiments", snakemake.params.given, {})
cases.to_csv(snakemake.output.cases, index=False)

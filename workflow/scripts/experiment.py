"""Write the cases of an experiment."""

import sys

from rankone.engine import intact
from rankone.pipeline import outputs

sys.stderr = open(snakemake.log[0], "w", buffering=1)

cases = outputs.make("experiments", snakemake.params.given, {})
intact.write(snakemake.output.cases, cases.to_csv(index=False))

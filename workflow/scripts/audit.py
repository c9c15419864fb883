"""Try a statement of the paper case by case."""

import sys

from rankone.paper import counterexamples as audits

sys.stderr = open(snakemake.log[0], "w", buffering=1)

attempt = getattr(audits, snakemake.wildcards.audit)
cases = attempt(**snakemake.params.asked, seed=snakemake.params.seed)
cases.to_csv(snakemake.output.cases, index=False)

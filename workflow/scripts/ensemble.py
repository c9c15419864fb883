"""Play a policy on all cases of an ensemble."""

import sys

from rankone.paper import ensembles

sys.stderr = open(snakemake.log[0], "w", buffering=1)

asked, name, seed = snakemake.params.asked, snakemake.wildcards.ensemble, snakemake.params.seed
given = asked["cases"] if name == "zeros" else {"seed": seed, **asked["cases"]}  # zeros: no chance
cases = getattr(ensembles, name)(**given)
amount = {"horizon": asked["horizon"], "runs": asked["runs"], "seed": seed}
table = ensembles.play(cases, snakemake.params.policy, **amount)
table.to_csv(snakemake.output.cases, index=False)

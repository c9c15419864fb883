"""Snakemake whose executor asks Slurm for the states of its jobs every two seconds.

After each question that finds no finished job the executor waits 10 s longer before the next one,
for up to three minutes, and no option changes that. A controller that serves many users needs it;
here, where jobs take seconds, most of the time would go into these waits. Nothing else is changed,
and the jobs themselves run `python -m snakemake`.
"""

import sys

import snakemake_executor_plugin_slurm
from snakemake.cli import main

SECONDS = 2.0

snakemake_executor_plugin_slurm.Executor.next_seconds_between_status_checks = property(
    lambda executor: SECONDS, lambda executor, longer: None
)

if __name__ == "__main__":
    sys.exit(main())

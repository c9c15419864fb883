"""Snakemake as the test needs it: it asks Slurm every two seconds, and notes what it has finished.

After each question that finds no finished job the executor waits 10 s longer before the next one,
for up to three minutes, and no option changes that. A controller that serves many users needs it;
here, where jobs take seconds, most of the time would go into these waits.

What is finished cannot be told from the files: the jobs of a group write theirs one by one, and if
the group is killed all of them are made again. So each file is noted in TOLD when Snakemake has
taken it as made. Nothing else is changed, and the jobs themselves run `python -m snakemake`.
"""

import sys
from typing import Any

import snakemake_executor_plugin_slurm
from snakemake.cli import main
from snakemake.dag import DAG

SECONDS = 2.0
TOLD = ".snakemake/told"  # in the folder that Snakemake works in

finish = DAG.finish


async def finish_and_tell(dag: DAG, job: Any, *words: Any, **named: Any) -> Any:
    found = await finish(dag, job, *words, **named)
    with open(TOLD, "a") as file:
        for one in job if job.is_group() else [job]:
            file.writelines(f"{output}\n" for output in one.output)
    return found


if __name__ == "__main__":
    DAG.finish = finish_and_tell
    snakemake_executor_plugin_slurm.Executor.next_seconds_between_status_checks = property(
        lambda executor: SECONDS, lambda executor, longer: None
    )
    sys.exit(main())

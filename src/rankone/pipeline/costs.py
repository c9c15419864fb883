"""What a job of the workflow needs: time and memory, from measured figures.

A cluster wants to know both before a job starts. The figures were measured on one core at 2 to
3 GHz (docs/cluster.md); the time is asked for with a margin, and a job that needed more is sent
again with more of both (`attempt`). Nothing here changes a result.
"""

import math
from dataclasses import dataclass

import numpy as np

from rankone.pipeline.campaigns import Campaign, Study

# Microseconds of a run per arm that it explores and unit of ln T, at the gap of the paper's
# matrices: within a factor of three of what its cells took (tests/pipeline/test_costs.py).
PACE = {
    "uts": 4.0,
    "osub": 15.0,
    "kl_ucb": 3.0,
    "rank1elim": 2.5,
    "rank1elim_kl": 2.5,
    "ts": 3.0,
    "ucb1": 6.0,
}
# They pull each arm once, and then the neighbours of the leader, or rows and columns.
AROUND_LEADER = {"uts", "osub", "rank1elim", "rank1elim_kl"}
FIRST = 1.0  # microsecond of the first pull of an arm
GAP = 0.375  # between the best arm and the next one in these matrices
CLOSER = 1.3  # a gap of a tenth takes 10^CLOSER times as long; its pulls go in larger blocks
# Nanoseconds of a round, and of each arm in it, for a policy that is not listed: it may play round
# by round.
ROUND, ARM = 50.0, 5.0

START = 20.0  # seconds until a job plays: Python, Numba, and the compiled code if it was not kept
MARGIN = 4.0  # other processors, nodes that are shared
LONGEST = 24 * 60  # minutes; nothing is asked to run for more than a day
SHORT = 8.0  # seconds: a job that plays for less, about what Slurm takes, is sent with others

BASE = 500  # MB of a job with few runs: measured 165 to 240, and 375 where it has to compile
COPIES = 3  # of the recorded numbers: as played, as written, and their compressed form


@dataclass(frozen=True)
class Job:
    """Runs of one policy on one instance."""

    policy: str  # the policy's name in the package, or that of its file
    arms: int
    gap: float
    horizon: int
    checkpoints: int
    runs: int

    def seconds(self) -> float:
        """CPU time as measured, without margin."""
        plain = self.horizon * (ROUND + ARM * self.arms) * 1e-9
        pace = PACE.get(self.policy)
        if pace is None:
            return START + self.runs * plain
        leaps = 1e-6 * (FIRST * self.arms + pace * self.unit())
        return START + self.runs * min(leaps, plain)

    def unit(self) -> float:
        """The number of paces: an explored arm is pulled ln T / gap^2 times or so, in blocks."""
        explored = 2 * math.sqrt(self.arms) if self.policy in AROUND_LEADER else self.arms
        closeness: float = (GAP / self.gap) ** CLOSER
        return explored * math.log(self.horizon) * closeness

    def minutes(self, attempt: int = 1) -> int:
        """The time to ask for."""
        return min(attempt * math.ceil(self.seconds() * MARGIN / 60), LONGEST)

    def megabytes(self, attempt: int = 1) -> int:
        """The memory to ask for; 8 bytes for each recorded number."""
        numbers = self.runs * (self.checkpoints + self.arms)
        return attempt * (BASE + math.ceil(COPIES * 8 * numbers / 1e6))

    def short(self) -> bool:
        """Whether it is over so soon that it should share a place in the queue with others."""
        return self.seconds() - START < SHORT


def simulation(campaign: Campaign, study: str, instance: str, policy: str, runs: int) -> Job:
    """The job that plays some runs of a cell of a study."""
    asked, place = campaign.studies[study], campaign.instances[instance]
    means = np.array(place.means) if place.means else np.outer(place.u, place.v).ravel()
    best, *others = np.sort(means)[::-1]
    gap = max(best - others[0], 1e-3) if others else GAP
    file = campaign.policies[policy].file
    return Job(file, place.arms, gap, asked.horizon, recorded(asked), runs)


def recorded(study: Study) -> int:
    """How many checkpoints a run has; at most, for the default grid."""
    if study.checkpoints:
        return len(study.checkpoints) + 1
    return 100 + 20 * (math.ceil(math.log10(study.horizon)) + 1)


def summary_megabytes(study: Study, attempt: int = 1) -> int:
    """The memory to summarise the runs of a study, one batch at a time."""
    arms = max(instance.arms for instance in study.instances)
    runs = min(study.batch, study.runs)
    return attempt * (BASE + math.ceil(COPIES * 8 * runs * (recorded(study) + arms) / 1e6))


def summary_minutes(study: Study, attempt: int = 1) -> int:
    """The time to summarise the runs of a study: measured 1 to 2 s for 10^7 numbers, per pass."""
    cells = len(study.instances) * len(study.policies)
    numbers = cells * study.runs * recorded(study)
    return min(attempt * math.ceil(5 + MARGIN * 6 * numbers * 2e-7 / 60), LONGEST)

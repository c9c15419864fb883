"""The one import of a policy's author.

    from rankone.policy import *                       # or the names that are needed

A declared policy states what it is, and gets its plain and its leaping version from that:
`policy = index_policy(index, level)`, `beta_sampling(prior)` or `imed_policy()`. Any other file has
`start(problem, settings) -> state` in plain Python, and the kernels
`decide(state, t, rng) -> arm or Commitment` and `observe(state, arm, rounds, wins)`. The state is a
NamedTuple of arrays, numbers and further NamedTuples. A kernel is compiled: it reads and writes the
state, draws from rng, makes no arrays, and calls other functions that are marked with @kernel.
"""

from rankone.engine.argmax import best_of, uniform_index
from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.kl import exploration, kl, kl_lower, kl_upper
from rankone.engine.kl import index as kl_index
from rankone.engine.loop import Commitment, for_sure, once
from rankone.engine.parameters import (
    is_number,
    leader_period,
    not_negative,
    positive,
    shown,
    truth,
)
from rankone.fast.declared import Leader, NoSettings, beta_sampling, imed_policy, index_policy
from rankone.fast.leader import LEADER_LEADS, LEADER_PULLS, TIME
from rankone.instances import Instance, Problem

__all__ = [
    "LEADER_LEADS",
    "LEADER_PULLS",
    "TIME",
    "Commitment",
    "Counts",
    "Instance",
    "Leader",
    "NoSettings",
    "Problem",
    "best_of",
    "beta_sampling",
    "exploration",
    "for_sure",
    "imed_policy",
    "index_policy",
    "is_number",
    "kernel",
    "kl",
    "kl_index",
    "kl_lower",
    "kl_upper",
    "leader_period",
    "no_counts",
    "not_negative",
    "once",
    "positive",
    "record",
    "shown",
    "truth",
    "uniform_index",
]

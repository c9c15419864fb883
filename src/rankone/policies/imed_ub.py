"""IMED-UB of Saber, Menard and Maillard (2021): IMED for unimodal bandits.

Each arm once, then the arm with the smallest

    I_k = N_k kl(m_k, max_j m_j) + ln N_k,   m_k = S_k / N_k,

among the leaders, which are all arms with the best empirical mean, and their neighbours; ties at
random. No parameter, and no leader is forced.
"""

from rankone.policy import NoSettings, Problem, imed_policy


def configure(problem: Problem) -> NoSettings:
    return NoSettings()


policy = imed_policy(around_leader=True)
start, decide, observe = policy.plain

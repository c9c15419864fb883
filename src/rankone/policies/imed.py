"""IMED (Indexed Minimum Empirical Divergence) of Honda and Takemura (2015), blind to the graph.

Each arm once, then the arm with the smallest

    I_k = N_k kl(m_k, max_j m_j) + ln N_k,   m_k = S_k / N_k,

ties at random. An arm with the best empirical mean has I_k = ln N_k. No parameter, and no clock:
the exploration follows from the pulls of the best arm.
"""

from rankone.policy import NoSettings, Problem, imed_policy


def configure(problem: Problem) -> NoSettings:
    return NoSettings()


policy = imed_policy()
start, decide, observe = policy.plain

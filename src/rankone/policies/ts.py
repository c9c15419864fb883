"""Thompson Sampling (Thompson 1933) with a uniform prior on every arm, blind to the graph.

theta_k ~ Beta(S_k + 1, N_k - S_k + 1) for every arm, pull argmax theta_k.
"""

from rankone.policy import NoSettings, Problem, beta_sampling


def configure(problem: Problem) -> NoSettings:
    return NoSettings()


policy = beta_sampling(prior=(1.0, 1.0))
start, decide, observe = policy.plain

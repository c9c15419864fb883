"""The compiled machine: the loop that plays a policy, how functions are compiled and kept, blocks
of Bernoulli rewards, argmax, counts, kl, seeds, and which source files a result depends on.

    loop        commitments, and the one loop that plays every policy
    games       runs in slices and on several cores
    blocks      many pulls of one arm as long as its wins stay above a guard
    binomial    tables for the small blocks among them; bridges: where one of them broke the guard
    stream      the random generator as compiled code sees it; draws: its numbers; seeds
    compiled    @kernel and entry; pieces, cache, memory: how Numba is used for them
    errors      what Numba says about a kernel, as one sentence
    sources     which source files a result depends on
"""

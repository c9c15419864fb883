"""The compiled machine: the loop that plays a policy, how functions are compiled and kept, blocks
of Bernoulli rewards, argmax, counts, kl, seeds."""

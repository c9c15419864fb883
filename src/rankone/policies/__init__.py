"""The policies as their papers write them: one file each, found by its name.

A policy file has `configure(problem, ...)`, whose arguments after the first are the policy's
parameters with their defaults, `start(problem, settings)`, which makes the state in plain Python,
and the kernels `decide` and `observe`; see rankone/policy.py. It may have `supports(instance)`,
which says in a sentence why the policy cannot play on an instance.
"""

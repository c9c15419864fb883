"""Choices shared by the policies: ties are broken uniformly at random everywhere."""

from rankone.engine.compiled import kernel


@kernel
def best_of(values, rng):
    """The position of the largest value; a tie costs one uniform draw, a clear winner none."""
    best = values[0]
    ties = 1
    first = 0
    for k in range(1, len(values)):
        if values[k] > best:
            best = values[k]
            ties = 1
            first = k
        elif values[k] == best:
            ties += 1
    if ties == 1:
        return first
    skip = uniform_index(ties, rng)
    for k in range(first, len(values)):
        if values[k] == best:
            if skip == 0:
                return k
            skip -= 1
    return first  # unreachable, unless values hold nan


@kernel
def uniform_index(n, rng):
    """A uniform index in range(n)."""
    return int(rng.random() * n)

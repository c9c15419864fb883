"""What a run draws at random: NumPy's numbers to the bit, by code of our own.

Numba has all methods of NumPy's Generator, but they take long to compile, and each of their draws
is a call through a pointer. So the ones that policies use most are kernels here: compiled once for
all policies, and with the generator's step in them. The methods are those of NumPy: exponential
and normal numbers by strips (Marsaglia and Tsang 2000), gamma numbers by a cube of normal ones
(Marsaglia and Tsang 2000), beta numbers from two of these, or by the method of Johnk (1964).
"""

import inspect
import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.typing.templates import AbstractTemplate, signature
from numba.extending import lower_builtin
from numba.np.random import _constants

from rankone.engine.compiled import kernel
from rankone.engine.stream import (
    NATIVE_ADDRESSES,
    Source,
    StreamAttribute,
    StreamType,
    native_binomial,
    native_exponential,
    next_word,
    of_numba,
)

__all__ = ["Source"]

BITS_52, BITS_53 = (1 << 52) - 1, (1 << 53) - 1

# The strips under exp(-x), lowest first: their widths in units of 2^-53, how much of them is below
# the next one, and exp(-x) at their ends; and where the tail begins.
WIDTHS, INSIDE = _constants.we_double, _constants.ke_double.astype(np.int64)
HEIGHTS, TAIL = _constants.fe_double, float(_constants.ziggurat_exp_r)

# The same under exp(-x^2 / 2), in units of 2^-52.
BELL_WIDTHS, BELL_INSIDE = _constants.wi_double, _constants.ki_double.astype(np.int64)
BELL_HEIGHTS, BELL_TAIL = _constants.fi_double, float(_constants.ziggurat_nor_r)
BELL_TAIL_SCALE = float(_constants.ziggurat_nor_inv_r)

TINY = 3e-103  # Johnk's numbers to the power of one over this are 0


@kernel
def uniform(rng):
    """A uniform number: the upper 53 bits of a word."""
    return float((next_word(rng) >> 11) & BITS_53) * 2.0**-53


@kernel
def exponential(rng):
    word = next_word(rng)
    strip, across = (word >> 3) & 255, (word >> 11) & BITS_53
    x = across * WIDTHS[strip]
    return x if across < INSIDE[strip] else at_the_edge(rng, strip, x)


@kernel(inline=False)
def at_the_edge(rng, strip, x):
    """One draw in ninety: in the tail, or at the edge of a strip, which may reject it."""
    if strip == 0:
        return TAIL - math.log1p(-uniform(rng))
    lowest, highest = HEIGHTS[strip], HEIGHTS[strip - 1]
    if lowest + (highest - lowest) * uniform(rng) < math.exp(-x):
        return x
    return native_exponential(rng)


@kernel
def normal(rng):
    while True:
        word = next_word(rng)
        strip, across = word & 255, (word >> 9) & BITS_52
        x = across * BELL_WIDTHS[strip]
        x = -x if word & 256 else x
        if across < BELL_INSIDE[strip]:
            return x
        x, accepted = at_the_edge_of_the_bell(rng, strip, across, x)
        if accepted:
            return x


@kernel(inline=False)
def at_the_edge_of_the_bell(rng, strip, across, x):
    """One draw in a hundred and fifty; and whether it is accepted."""
    if strip > 0:
        lowest, highest = BELL_HEIGHTS[strip], BELL_HEIGHTS[strip - 1]
        height = (highest - lowest) * uniform(rng) + lowest
        return x, height < math.exp(-0.5 * x * x)
    while True:
        beyond = -BELL_TAIL_SCALE * math.log1p(-uniform(rng))
        y = -math.log1p(-uniform(rng))
        if y + y > beyond * beyond:
            x = BELL_TAIL + beyond
            return (-x if (across >> 8) & 1 else x), True


@kernel
def gamma(rng, shape):
    """A gamma number of scale one."""
    if not shape > 1.0:
        return small_gamma(rng, shape)
    b = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * b)
    while True:
        x = normal(rng)
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            u = uniform(rng)
            if u < 1.0 - 0.0331 * (x * x) * (x * x):
                return b * v
            if math.log(u) < 0.5 * x * x + b * (1.0 - v + math.log(v)):
                return b * v


@kernel(inline=False)
def small_gamma(rng, shape):
    """The same for a shape of at most one."""
    if shape == 1.0:
        return exponential(rng)
    if shape == 0.0:
        return 0.0
    while True:
        u, v = uniform(rng), exponential(rng)
        if u <= 1.0 - shape:
            x = u ** (1.0 / shape)
            if x <= v:
                return x
        else:
            y = -math.log((1.0 - u) / shape)
            x = (1.0 - shape + shape * y) ** (1.0 / shape)
            if x <= v + y:
                return x


@kernel(inline=False)
def beta(rng, a, b):
    if a <= 1.0 and b <= 1.0:
        return johnk(rng, a, b)
    first = gamma(rng, a)
    return first / (first + gamma(rng, b))


@kernel(inline=False)
def johnk(rng, a, b):
    """A beta number for small counts: two powers of uniform numbers, if their sum is below one."""
    if a < TINY and b < TINY:
        return 1.0 if (a + b) * uniform(rng) < a else 0.0
    while True:
        u, v = uniform(rng), uniform(rng)
        x, y = u ** (1.0 / a), v ** (1.0 / b)
        if x + y <= 1.0 and u + v > 0.0:
            if x > 0.0 and y > 0.0:
                return x / (x + y)
            log_ratio = math.log(u) / a - math.log(v) / b
            if log_ratio > 0.0:
                return math.exp(-math.log1p(math.exp(-log_ratio)))
            return math.exp(log_ratio - math.log1p(math.exp(log_ratio)))


@kernel
def numbas_beta(rng, a, b):
    return of_numba(rng).beta(a, b)


@kernel
def binomial(rng, n, p):
    return native_binomial(rng, n, p)


def method(name: str, function: Callable[..., Any]) -> None:
    """Let compiled code that says rng.name(...) call this kernel."""
    kernels = types.Dispatcher(function.compiled)  # type: ignore[attr-defined]
    given = list(inspect.signature(function).parameters.values())[1:]

    class Method(AbstractTemplate):
        key = f"stream.{name}"

        def generic(self, args: Any, kws: Any) -> Any:
            found = kernels.get_call_type(self.context, (self.this, *args), kws)
            made = signature(found.return_type, *found.args[1:], recvr=self.this)
            return made.replace(pysig=inspect.Signature(given))

    @lower_builtin(Method.key, StreamType, types.VarArg(types.Any))
    def call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        implementation = context.get_function(kernels, sig)
        context.add_linking_libs(getattr(implementation, "libs", ()))
        return implementation(builder, args)

    def resolve(self: Any, kind: Any) -> types.Type:
        return types.BoundFunction(Method, kind)

    setattr(StreamAttribute, f"resolve_{name}", resolve)


if not numba.config.DISABLE_JIT:  # then rng is NumPy's generator itself
    laid_open = bool(NATIVE_ADDRESSES) and Source().words_are_in_order
    method("beta", beta if laid_open else numbas_beta)
    if NATIVE_ADDRESSES:
        method("binomial", binomial)
    if laid_open:
        method("random", uniform)
        method("standard_exponential", exponential)
        method("standard_normal", normal)

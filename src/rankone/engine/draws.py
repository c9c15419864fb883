"""The random generator of a run: NumPy's PCG64, as compiled code sees it.

Numba knows NumPy's Generator and gives the same numbers to the bit, but its methods take long to
compile. So binomial draws and rare exponential ones call NumPy's own C functions, those declared in
numpy/random/distributions.h, where NumPy's library exports them. The words of the generator's state
are laid open, so that a new run starts without a call of Python, and so that the draws a policy
makes most often, uniform and exponential ones, are made without a call at all.
"""

import ctypes
import math
from typing import Any

import llvmlite.ir as llvm  # type: ignore[import-untyped]
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import (
    NativeValue,
    intrinsic,
    models,
    overload_method,
    register_model,
    unbox,
)
from numba.np.random import _constants
from numpy.random import _generator

from rankone.engine.compiled import kernel

WORD = llvm.IntType(64)

# What compiled code finds at the address of a Source: first what Numba's methods draw with.
DRAWERS = ("state", "fnptr_next_double", "fnptr_next_uint64", "fnptr_next_uint32")
NATIVE = ("random_binomial", "random_standard_exponential")
LAYOUT = (*DRAWERS, "bitgen_t", "binomial_t", "words", *NATIVE)

# At least the size of binomial_t, where random_binomial keeps what it worked out for n and p.
BINOMIAL_BYTES = 512

# The step of PCG64 (O'Neill 2014).
MULTIPLIER = (2549297995355413924 << 64) + 4865540595714422341
BITS_53 = (1 << 53) - 1

# The strips under exp(-x), lowest first: their widths in units of 2^-53, how much of them is below
# the next one, and exp(-x) at their ends; and where the tail begins.
WIDTHS, INSIDE = _constants.we_double, _constants.ke_double.astype(np.int64)
HEIGHTS, TAIL = _constants.fe_double, float(_constants.ziggurat_exp_r)


def _native_addresses() -> list[int]:
    """The addresses of NumPy's functions; none if its library does not show them."""
    library = ctypes.CDLL(_generator.__file__)
    found = [getattr(library, name, None) for name in NATIVE]
    return [_address(function) for function in found if function] if all(found) else []


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


NATIVE_ADDRESSES = _native_addresses()


class Source:
    """A generator, its words in memory, and the addresses that compiled code draws with."""

    def __init__(self) -> None:
        self.generator = np.random.Generator(np.random.PCG64(0))
        self._bits = self.generator.bit_generator
        binding = self._bits.ctypes
        drawers = (binding.next_double, binding.next_uint64, binding.next_uint32)
        self._binomial = np.zeros(BINOMIAL_BYTES, np.uint8)
        addresses = [binding.state_address, *(_address(drawer) for drawer in drawers)]
        # NumPy's pcg64_state: a pointer to the words, then whether half a word is left over
        pointer = ctypes.cast(binding.state_address, ctypes.POINTER(ctypes.c_uint64))
        self.words = np.ctypeslib.as_array((ctypes.c_uint64 * 4).from_address(pointer[0]))
        addresses += [binding.bit_generator.value, self._binomial.ctypes.data]
        addresses += [self.words.ctypes.data, *NATIVE_ADDRESSES]
        self._addresses = np.array(addresses, dtype=np.int64)
        self.address = self._addresses.ctypes.data
        self._numba_type_ = STREAM
        halves = (ctypes.c_int32 * 1).from_address(binding.state_address + 8)
        self.halves = np.ctypeslib.as_array(halves)
        self._order = self._find_order()

    def _find_order(self) -> list[int]:
        """Where NumPy keeps the four words of a state; it depends on how NumPy was built."""
        numbers = {"state": (11 << 64) + 12, "inc": (13 << 64) + 15}
        self._bits.state = {**self._bits.state, "state": numbers, "has_uint32": 1, "uinteger": 7}
        seen = self.words.tolist()
        if sorted(seen) != [11, 12, 13, 15] or self.halves[0] != 1:
            raise RuntimeError(
                f"PCG64 of NumPy {np.__version__} keeps its state in a way that is not known here."
            )
        return [(11, 12, 13, 15).index(word) for word in seen]

    @property
    def words_are_in_order(self) -> bool:
        """Whether a number of 128 bits is two words, the lower one first, as on most machines."""
        return self._order == [1, 0, 3, 2]

    def arranged(self, states: np.ndarray) -> np.ndarray:
        """States as `seeds.starts` gives them, their words in the order of `words`."""
        return np.ascontiguousarray(states[:, self._order])


class _StreamType(types.NumPyRandomGeneratorType):
    """As Numba's type of a Generator, but a pointer to the addresses of a Source."""

    def __init__(self) -> None:
        super().__init__("stream")
        self.name = "Stream"


STREAM = _StreamType()
BITS = types.NumPyRandomBitGeneratorType("bit_generator")


@register_model(_StreamType)
class _StreamModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, WORD.as_pointer())


@unbox(_StreamType)
def _unbox(kind: Any, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_ulonglong(number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address, WORD.as_pointer()))


def _load(builder: Any, stream: Any, name: str) -> Any:
    """One of the addresses; they never change while compiled code runs."""
    word = builder.load(cgutils.pointer_add(builder, stream, 8 * LAYOUT.index(name)))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


@infer_getattr
class _StreamAttribute(AttributeTemplate):
    key = _StreamType

    def resolve_bit_generator(self, kind: Any) -> types.Type:
        return BITS


@lower_getattr(_StreamType, "bit_generator")
def _bit_generator(context: Any, builder: Any, kind: Any, stream: Any) -> Any:
    """What Numba's implementation of every method draws from."""
    inner = cgutils.create_struct_proxy(BITS)(context, builder)
    for name in DRAWERS:
        setattr(inner, name, _load(builder, stream, name))
    return inner._getvalue()


def _call(builder: Any, stream: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Call a C function whose first argument is the bitgen_t of the generator."""
    arguments = [_load(builder, stream, "bitgen_t"), *arguments]
    function = llvm.FunctionType(result, [argument.type for argument in arguments])
    address = builder.inttoptr(_load(builder, stream, name), function.as_pointer())
    return builder.call(address, arguments)


@intrinsic
def _of_numba(typingctx, rng):
    """The same generator under Numba's own type, whose methods are all Numba's own."""

    def generate(context, builder, signature, arguments):
        outer = context.make_helper(builder, types.npy_rng)
        outer.bit_generator = _bit_generator(context, builder, rng, arguments[0])
        return outer._getvalue()

    return types.npy_rng(rng), generate


@kernel
def _beta(rng, a, b):
    """Numba's version is faster than NumPy's, and as a kernel it is compiled once for all."""
    return _of_numba(rng).beta(a, b)


@overload_method(_StreamType, "beta", inline="always")
def _overload_beta(rng, a, b):
    return lambda rng, a, b: _beta(rng, a, b)


@intrinsic
def _binomial(typingctx, rng, n, p):
    def generate(context, builder, signature, arguments):
        stream, n, p = arguments
        kept = _load(builder, stream, "binomial_t")
        return _call(builder, stream, "random_binomial", WORD, [p, n, kept])

    return types.int64(rng, types.int64, types.float64), generate


@intrinsic
def _standard_exponential(typingctx, rng):
    def generate(context, builder, signature, arguments):
        name = "random_standard_exponential"
        return _call(builder, arguments[0], name, llvm.DoubleType(), [])

    return types.float64(rng), generate


@intrinsic
def _next_word(typingctx, rng):
    """The next 64 random bits: PCG's step, x -> x * MULTIPLIER + increment, and its output."""

    def generate(context, builder, signature, arguments):
        wide = llvm.IntType(128)
        words = builder.inttoptr(_load(builder, arguments[0], "words"), WORD.as_pointer())
        places = [builder.gep(words, [llvm.Constant(WORD, i)]) for i in range(4)]

        def joined(low, high):
            upper = builder.shl(builder.zext(builder.load(high), wide), llvm.Constant(wide, 64))
            return builder.or_(builder.zext(builder.load(low), wide), upper)

        product = builder.mul(joined(*places[:2]), llvm.Constant(wide, MULTIPLIER))
        state = builder.add(product, joined(*places[2:]))
        low = builder.trunc(state, WORD)
        high = builder.trunc(builder.lshr(state, llvm.Constant(wide, 64)), WORD)
        builder.store(low, places[0])
        builder.store(high, places[1])
        mixed, turn = builder.xor(high, low), builder.lshr(high, llvm.Constant(WORD, 58))
        back = builder.and_(builder.neg(turn), llvm.Constant(WORD, 63))
        return builder.or_(builder.lshr(mixed, turn), builder.shl(mixed, back))

    return types.int64(rng), generate


@kernel
def _uniform(rng):
    """A uniform number: the upper 53 bits of a word."""
    return float((_next_word(rng) >> 11) & BITS_53) * 2.0**-53


@kernel
def _exponential(rng):
    """An exponential number, by the strips of Marsaglia and Tsang (2000), as NumPy has them."""
    word = _next_word(rng)
    strip, across = (word >> 3) & 255, (word >> 11) & BITS_53
    x = across * WIDTHS[strip]
    return x if across < INSIDE[strip] else _at_the_edge(rng, strip, x)


@kernel(inline=False)
def _at_the_edge(rng, strip, x):
    """One draw in ninety: in the tail, or at the edge of a strip, which may reject it."""
    if strip == 0:
        return TAIL - math.log1p(-_uniform(rng))
    lowest, highest = HEIGHTS[strip], HEIGHTS[strip - 1]
    if lowest + (highest - lowest) * _uniform(rng) < math.exp(-x):
        return x
    return _standard_exponential(rng)


if NATIVE_ADDRESSES:

    @overload_method(_StreamType, "binomial", inline="always")
    def _overload_binomial(rng, n, p):
        return lambda rng, n, p: _binomial(rng, n, p)


if NATIVE_ADDRESSES and Source().words_are_in_order:

    @overload_method(_StreamType, "random", inline="always")
    def _overload_random(rng):
        return lambda rng: _uniform(rng)

    @overload_method(_StreamType, "standard_exponential", inline="always")
    def _overload_standard_exponential(rng):
        return lambda rng: _exponential(rng)

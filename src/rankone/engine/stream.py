"""The random generator of a run: NumPy's PCG64, as compiled code sees it.

The words of its state are laid open, so that a new run starts without a call of Python, and so that
compiled code steps from one to the next without a call at all. Some of NumPy's own C functions,
those declared in numpy/random/distributions.h, are called where NumPy's library exports them.
"""

import ctypes
from typing import Any

import llvmlite.ir as llvm  # type: ignore[import-untyped]
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, intrinsic, models, register_model, unbox
from numpy.random import _generator

WORD = llvm.IntType(64)

# What compiled code finds at the address of a Source: first what Numba's methods draw with.
DRAWERS = ("state", "fnptr_next_double", "fnptr_next_uint64", "fnptr_next_uint32")
NATIVE = ("random_binomial", "random_standard_exponential")
LAYOUT = (*DRAWERS, "bitgen_t", "binomial_t", "words", *NATIVE)

# At least the size of binomial_t, where random_binomial keeps what it worked out for n and p.
BINOMIAL_BYTES = 512

# The step of PCG64 (O'Neill 2014).
MULTIPLIER = (2549297995355413924 << 64) + 4865540595714422341


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


class StreamType(types.NumPyRandomGeneratorType):
    """As Numba's type of a Generator, but a pointer to the addresses of a Source."""

    def __init__(self) -> None:
        super().__init__("stream")
        self.name = "Stream"


STREAM = StreamType()
BITS = types.NumPyRandomBitGeneratorType("bit_generator")


@register_model(StreamType)
class _StreamModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, WORD.as_pointer())


@unbox(StreamType)
def _unbox(kind: Any, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_ulonglong(number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address, WORD.as_pointer()))


def _load(builder: Any, stream: Any, name: str) -> Any:
    """One of the addresses; they never change while compiled code runs."""
    word = builder.load(builder.gep(stream, [WORD(LAYOUT.index(name))]))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


@infer_getattr
class StreamAttribute(AttributeTemplate):
    """What compiled code can ask of a stream; draws.py adds the methods that it has of its own."""

    key = StreamType

    def resolve_bit_generator(self, kind: Any) -> types.Type:
        return BITS


@lower_getattr(StreamType, "bit_generator")
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
def of_numba(typingctx, rng):
    """The same generator under Numba's own type, whose methods are all Numba's own."""

    def generate(context, builder, signature, arguments):
        outer = context.make_helper(builder, types.npy_rng)
        outer.bit_generator = _bit_generator(context, builder, rng, arguments[0])
        return outer._getvalue()

    return types.npy_rng(rng), generate


@intrinsic
def native_binomial(typingctx, rng, n, p):
    def generate(context, builder, signature, arguments):
        stream, n, p = arguments
        kept = _load(builder, stream, "binomial_t")
        return _call(builder, stream, "random_binomial", WORD, [p, n, kept])

    return types.int64(rng, types.int64, types.float64), generate


@intrinsic
def native_exponential(typingctx, rng):
    def generate(context, builder, signature, arguments):
        name = "random_standard_exponential"
        return _call(builder, arguments[0], name, llvm.DoubleType(), [])

    return types.float64(rng), generate


@intrinsic
def next_word(typingctx, rng):
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

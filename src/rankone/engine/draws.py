"""The random generator of a run: NumPy's PCG64, as compiled code sees it.

Numba knows NumPy's Generator and gives the same numbers to the bit. Two things are added here. The
methods that take long to compile are compiled once for all policies and kept on disk. And the words
of the generator's state are laid open, so that a new run starts without a call of Python.
"""

import ctypes
from typing import Any

import llvmlite.ir as llvm
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

from rankone.engine.compiled import kernel


class Source:
    """A generator, its words in memory, and the addresses that compiled code draws with."""

    def __init__(self) -> None:
        self.generator = np.random.Generator(np.random.PCG64(0))
        self._bits = self.generator.bit_generator
        binding = self._bits.ctypes
        drawers = (binding.next_double, binding.next_uint64, binding.next_uint32)
        addresses = [ctypes.cast(drawer, ctypes.c_void_p).value for drawer in drawers]
        self._addresses = np.array([binding.state_address, *addresses], dtype=np.int64)
        self.address = self._addresses.ctypes.data
        self._numba_type_ = STREAM
        # NumPy's pcg64_state: a pointer to the words, then whether half a word is left over
        pointer = ctypes.cast(binding.state_address, ctypes.POINTER(ctypes.c_uint64))
        self.words = np.frombuffer((ctypes.c_uint64 * 4).from_address(pointer[0]), np.uint64)
        halves = (ctypes.c_int32 * 1).from_address(binding.state_address + 8)
        self.halves = np.frombuffer(halves, np.int32)
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

    def arranged(self, states: np.ndarray) -> np.ndarray:
        """States as `seeds.starts` gives them, their words in the order of `words`."""
        return np.ascontiguousarray(states[:, self._order])


class _StreamType(types.NumPyRandomGeneratorType):
    """As Numba's type of a Generator, but for where its methods come from."""

    def __init__(self) -> None:
        super().__init__("stream")
        self.name = "Stream"


STREAM = _StreamType()
BITS = types.NumPyRandomBitGeneratorType("bit_generator")
ADDRESSES = ("state", "fnptr_next_double", "fnptr_next_uint64", "fnptr_next_uint32")


@register_model(_StreamType)
class _StreamModel(models.PrimitiveModel):
    """A pointer to the addresses that a Source holds."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, llvm.IntType(64).as_pointer())


@unbox(_StreamType)
def _unbox(kind: Any, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_ulonglong(number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address, llvm.IntType(64).as_pointer()))


@infer_getattr
class _StreamAttribute(AttributeTemplate):
    key = _StreamType

    def resolve_bit_generator(self, kind: Any) -> types.Type:
        return BITS


@lower_getattr(_StreamType, "bit_generator")
def _bit_generator(context: Any, builder: Any, kind: Any, pointer: Any) -> Any:
    """What Numba's implementation of every method draws from."""
    inner = cgutils.create_struct_proxy(BITS)(context, builder)
    unchanging = builder.module.add_metadata([])
    for position, name in enumerate(ADDRESSES):
        word = builder.load(cgutils.pointer_add(builder, pointer, 8 * position))
        word.set_metadata("invariant.load", unchanging)
        setattr(inner, name, word)
    return inner._getvalue()


@intrinsic
def _of_numba(typingctx, rng):
    """The same generator under Numba's own type, whose methods are Numba's own."""
    if not isinstance(rng, _StreamType):
        return rng(rng), lambda context, builder, signature, arguments: arguments[0]

    def generate(context, builder, signature, arguments):
        outer = context.make_helper(builder, types.npy_rng)
        outer.bit_generator = _bit_generator(context, builder, rng, arguments[0])
        return outer._getvalue()

    return types.npy_rng(rng), generate


@kernel(inline=False)
def binomial(rng, n, p):
    return _of_numba(rng).binomial(n, p)


@kernel(inline=False)
def beta(rng, a, b):
    return _of_numba(rng).beta(a, b)


@kernel(inline=False)
def standard_exponential(rng):
    return _of_numba(rng).standard_exponential()


@overload_method(_StreamType, "binomial")
def _binomial(rng, n, p):
    return lambda rng, n, p: binomial(rng, n, p)


@overload_method(_StreamType, "beta")
def _beta(rng, a, b):
    return lambda rng, a, b: beta(rng, a, b)


@overload_method(_StreamType, "standard_exponential")
def _standard_exponential(rng):
    return lambda rng: standard_exponential(rng)

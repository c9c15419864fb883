"""How compiled code sees a policy's state: through one pointer.

A state is a NamedTuple of arrays, numbers and further NamedTuples. Numba would hand it over by
value, seven words for each array at every call, and most of the time of a first call would go into
code that shuffles them. Instead `Pointer` writes where the arrays are into a list of words, and
compiled code reads an array's address and shape from there when a kernel says `state.counts`.
Kernels cannot tell the difference: fields are read by name, and a field that is a NamedTuple is
again such a pointer. A plain tuple of whole numbers is an array to them.

A field that is a list of numbers has a type of its own, `Vector`: to read `state.level[0]` takes
Numba some fifty instructions for an array, which are optimised away, but only after they have been
written, read and looked at. A vector takes four; all else that can be done with an array can be
done with it, by Numba's own code.
"""

import functools
import hashlib
import operator
from typing import Any

import llvmlite.ir as llvm  # type: ignore[import-untyped]
import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import (
    NativeValue,
    lower_builtin,
    lower_cast,
    models,
    register_model,
    unbox,
)
from numba.np.arrayobj import (
    fix_integer_index,
    load_item,
    make_array,
    populate_array,
    store_item,
)
from numba.np.numpy_support import as_dtype, from_dtype

ALIGNMENT = 64  # bytes: arrays begin at the start of a cache line


class Pointer:
    """What compiled code is given in the place of a NamedTuple: the address of its words."""

    def __init__(self, values: Any) -> None:
        words: list[int] = []
        if hasattr(values, "_fields"):
            values = _lists_as_arrays(values)
        self._numba_type_ = _describe(values, words, type(values).__name__)
        self._values = values  # the arrays must live as long as somebody knows where they are
        self._words = np.array(words, dtype=np.int64)
        self.address = self._words.ctypes.data


def as_argument(values: Any) -> Any:
    """What a compiled function is to be given in the place of a NamedTuple."""
    return values if numba.config.DISABLE_JIT else Pointer(values)


def gather(state: Any, shared: Any = ()) -> tuple[Any, np.ndarray]:
    """The same state with its arrays moved into one block of words; and that block.

    So a run starts from a copy of the block. The arrays in `shared`, which no run changes, stay
    where they are.
    """
    keep = {id(array) for array in _arrays(shared)}
    moved = {id(array): array for array in _arrays(state) if id(array) not in keep}
    sizes = [-(-array.nbytes // ALIGNMENT) * ALIGNMENT for array in moved.values()]
    block = _aligned(sum(sizes))
    places = {}
    offset = 0
    for array, size in zip(moved.values(), sizes, strict=True):
        place = block[offset : offset + array.nbytes].view(array.dtype).reshape(array.shape)
        place[...] = array
        places[id(array)] = place
        offset += size
    return _replaced(state, places), block.view(np.int64)


def _arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    return [array for part in value for array in _arrays(part)] if isinstance(value, tuple) else []


def _aligned(size: int) -> np.ndarray:
    room = np.zeros(size + ALIGNMENT, np.uint8)
    skip = -room.ctypes.data % ALIGNMENT
    return room[skip : skip + size]


def _replaced(value: Any, places: dict[int, np.ndarray]) -> Any:
    """The same state with arrays replaced by those in `places`."""
    if isinstance(value, np.ndarray):
        return places.get(id(value), value)
    if isinstance(value, tuple):
        parts = [_replaced(part, places) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _lists_as_arrays(value: Any) -> Any:
    """The same state with each plain tuple of whole numbers as an array: one type at any length."""
    if not isinstance(value, tuple):
        return value
    if hasattr(value, "_fields"):
        return type(value)(*(_lists_as_arrays(part) for part in value))
    whole = all(isinstance(part, int | np.integer) for part in value)
    return np.array(value, np.int64) if whole else value


class StateType(types.Type):
    """The fields of a NamedTuple with their Numba types and the position of their first word."""

    def __init__(self, label: str, fields: tuple[tuple[str, types.Type, int], ...]) -> None:
        self.fields = {name: (kind, offset) for name, kind, offset in fields}
        text = repr([(name, str(kind), offset) for name, kind, offset in fields])
        # the name stands for the content: Numba compares types by it and writes it into symbols
        super().__init__(f"{label}_{hashlib.sha256(text.encode()).hexdigest()[:12]}")


def _describe(value: Any, words: list[int], label: str) -> types.Type:
    """The Numba type of a value, whose words are added to the list; None if it can have none."""
    if isinstance(value, np.ndarray):
        words += [value.ctypes.data, *value.shape, *value.strides]
        return _array_type(value.dtype, value.ndim, value.flags.c_contiguous)
    if isinstance(value, bool | np.bool_):
        words.append(int(value))
        return types.boolean
    if isinstance(value, int | np.integer):
        words.append(int(value))
        return types.int64
    if isinstance(value, float | np.floating):
        words.append(int(np.float64(value).view(np.int64)))
        return types.float64
    if isinstance(value, tuple):
        first = len(words)
        names = getattr(value, "_fields", [f"f{position}" for position in range(len(value))])
        fields = []
        for name, part in zip(names, value, strict=True):
            offset = len(words) - first
            kind = _describe(part, words, type(part).__name__)
            if kind is not None:  # text, say, is for plain Python only: kernels do not see it
                fields.append((name, kind, offset))
        return _state_type(label, tuple(fields))
    return None


@functools.cache  # a call of `simulate` describes dozens of arrays
def _array_type(dtype: np.dtype, dimensions: int, contiguous: bool) -> types.Array:
    if contiguous and dimensions == 1:
        return Vector(from_dtype(dtype))
    return types.Array(from_dtype(dtype), dimensions, "C" if contiguous else "A")


class Vector(types.Array):
    """A contiguous array of one dimension, with short code for its elements."""

    def __init__(self, dtype: types.Type) -> None:
        super().__init__(dtype, 1, "C", name=f"vector({dtype})")


@functools.cache
def _state_type(label: str, fields: tuple[tuple[str, types.Type, int], ...]) -> StateType:
    return StateType(label, fields)


@register_model(StateType)
class _StateModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, llvm.IntType(64).as_pointer())


@unbox(StateType)
def _unbox(kind: Any, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_ulonglong(number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address, llvm.IntType(64).as_pointer()))


@infer_getattr
class _StateAttribute(AttributeTemplate):
    key = StateType

    def generic_resolve(self, kind: StateType, name: str) -> types.Type | None:
        return kind.fields[name][0] if name in kind.fields else None


@lower_getattr_generic(StateType)
def _getattr(context: Any, builder: Any, kind: StateType, words: Any, name: str) -> Any:
    """Read a field. The words never change while compiled code runs, so reads can be merged."""
    field, offset = kind.fields[name]
    unchanging = builder.module.add_metadata([])

    def place(position: int) -> Any:
        return builder.gep(words, [llvm.IntType(64)(offset + position)], inbounds=True)

    def load(position: int) -> Any:
        word = builder.load(place(position))
        word.set_metadata("invariant.load", unchanging)
        return word

    if isinstance(field, StateType):
        return place(0)
    if isinstance(field, Vector):
        return _vector(context, builder, field, load(0), load(1))
    if isinstance(field, types.Array):
        return _array(context, builder, field, [load(i) for i in range(1 + 2 * field.ndim)])
    if field == types.float64:
        return builder.bitcast(load(0), llvm.DoubleType())
    if field == types.boolean:
        return builder.trunc(load(0), llvm.IntType(1))
    return load(0)


def _array(context: Any, builder: Any, kind: types.Array, words: list[Any]) -> Any:
    """An array of Numba's own from its address, shape and strides; it owns nothing."""
    array = make_array(kind)(context, builder)
    itemsize = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    populate_array(
        array,
        data=builder.inttoptr(words[0], array.data.type),
        shape=words[1 : 1 + kind.ndim],
        strides=words[1 + kind.ndim :],
        itemsize=context.get_constant(types.intp, itemsize),
        meminfo=None,
    )
    return array._getvalue()


register_model(Vector)(models.ArrayModel)


def _part(context: Any, kind: Vector, name: str) -> int:
    """Where a part of an array is in Numba's record of it."""
    return int(context.data_model_manager[kind].get_field_position(name))


def _vector(context: Any, builder: Any, kind: Vector, address: Any, length: Any) -> Any:
    """The same for a vector, whose stride is known."""
    whole = context.get_value_type(kind)
    itemsize = as_dtype(kind.dtype).itemsize
    value = llvm.Constant(whole, None)
    data = builder.inttoptr(address, whole.elements[_part(context, kind, "data")])
    for name, part in (
        ("data", data),
        ("nitems", length),
        ("shape", length),
        ("itemsize", llvm.IntType(64)(itemsize)),
        ("strides", llvm.IntType(64)(itemsize)),
    ):
        position = _part(context, kind, name)
        nested = (position, 0) if name in ("shape", "strides") else position
        value = builder.insert_value(value, part, nested)
    return value


def _length(context: Any, builder: Any, kind: Vector, vector: Any) -> Any:
    return builder.extract_value(vector, (_part(context, kind, "shape"), 0))


def _place(context: Any, builder: Any, kind: Vector, vector: Any, index: Any) -> Any:
    """Where the element with this index is, which is not negative."""
    if context.enable_boundscheck:
        length = _length(context, builder, kind, vector)
        cgutils.do_boundscheck(context, builder, index, length, 0)
    data = builder.extract_value(vector, _part(context, kind, "data"))
    return builder.gep(data, [index], inbounds=True)


def _wrapped(context: Any, builder: Any, kind: Vector, vector: Any, sort: Any, index: Any) -> Any:
    """The index, counted from the end if it is negative."""
    length = _length(context, builder, kind, vector)
    return fix_integer_index(context, builder, sort, index, length)


@lower_builtin(len, Vector)
def _len(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _length(context, builder, sig.args[0], args[0])


@lower_builtin(operator.getitem, Vector, types.Integer)
def _getitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    (kind, sort), (vector, index) = sig.args, args
    index = _wrapped(context, builder, kind, vector, sort, index)
    return load_item(context, builder, kind, _place(context, builder, kind, vector, index))


@lower_builtin("static_getitem", Vector, types.IntegerLiteral)
def _static_getitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind, (vector, index) = sig.args[0], args
    if index < 0:
        raise NotImplementedError("Numba takes the other one")
    place = _place(context, builder, kind, vector, llvm.IntType(64)(index))
    return load_item(context, builder, kind, place)


@lower_builtin(operator.setitem, Vector, types.Integer, types.Any)
def _setitem(context: Any, builder: Any, sig: Any, args: Any) -> None:
    (kind, sort, given), (vector, index, value) = sig.args, args
    index = _wrapped(context, builder, kind, vector, sort, index)
    value = context.cast(builder, value, given, kind.dtype)
    store_item(context, builder, kind, value, _place(context, builder, kind, vector, index))


@lower_cast(Vector, types.Array)
def _as_array(context: Any, builder: Any, kind: Any, other: Any, value: Any) -> Any:
    """Where a name stands for a vector or for a part of one."""
    return value

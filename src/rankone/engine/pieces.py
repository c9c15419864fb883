"""Compiled pieces that exist only to become part of something larger.

Numba turns every function it compiles into machine code, even one that only other compiled code
calls and that is then copied into its callers and turned into machine code there again. A piece
stops half-way, at LLVM's intermediate code after a light optimisation; that is what is kept on
disk. Machine code is made once, for the function that Python calls. What Numba does to every
function and these have no use for is left out: for most of them it takes longer than they ever run.
"""

import copy
import random
from types import CodeType
from typing import Any

import llvmlite.binding as binding  # type: ignore[import-untyped]
import numpy as np
from numba.core import errors, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import AnnotateTypes, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes


class Piece(JITCodeLibrary):
    """A library of intermediate code, for linking only."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=self._codegen._opt_level, cost="cheap"
        )
        passes.run(self._final_module, builder)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """There is no machine code to point to."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return self  # which is asked for `set_env` alone

    def set_env(self, name: str, environment: Any) -> None:
        """What a function refers to is made known when machine code is made of it."""

    def content(self) -> tuple[str, bytes]:
        return self.name, self._get_module_for_linking().as_bitcode()

    @classmethod
    def from_content(cls, codegen: Any, content: tuple[str, bytes]) -> "Piece":
        name, code = content
        self = cls(codegen, name)
        self._final_module = self._shared_module = binding.parse_bitcode(code)
        self._finalized = True
        return self


class Whole(JITCodeLibrary):
    """The machine code of a function that Python calls."""

    def _optimize_final_module(self) -> None:
        """Once, and not at the highest level: measured, the code is as fast.

        Numba does so twice, the first time for the sake of counted references; there are none.
        """
        passes, builder = self._codegen._module_pass_manager(opt=1)
        passes.run(self._final_module, builder)


@register_pass(mutates_CFG=False, analysis_only=True)
class _UsePiece(AnalysisPass):
    """Have the code that Numba generates go into a piece."""

    _name = "rankone_use_piece"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        _refuse_hidden_draws(state)
        state.library = Piece(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class _UseWhole(AnalysisPass):
    """Have it go into machine code."""

    _name = "rankone_use_whole"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.library = Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return False


def _refuse_hidden_draws(state: Any) -> None:
    """np.random.random() would compile, and draw from a generator that no seed of a run reaches."""
    for name, kind in state.typemap.items():
        key = getattr(kind, "typing_key", None)
        if isinstance(getattr(key, "__self__", None), np.random.RandomState | random.Random):
            place = state.func_ir.get_definition(name).loc
            raise errors.TypingError(
                f"numpy.random has a generator of its own, at {place.filename} ({place.line})"
            )


class _Compiler(CompilerBase):
    """Numba's compiler, but for where the code goes, and without what finds nothing to do."""

    use: type[AnalysisPass]

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(self.use, AnnotateTypes)
        constants = self.state.func_id.code.co_consts
        without = {NopythonRewrites}  # of expressions that would make arrays
        if not any(isinstance(constant, CodeType) for constant in constants):
            without.add(InlineClosureLikes)
        passes.passes = [one for one in passes.passes if one[0] not in without]
        passes.finalize()
        return [passes]


class PieceCompiler(_Compiler):
    use = _UsePiece


class WholeCompiler(_Compiler):
    use = _UseWhole


def reduce(result: CompileResult) -> tuple[Any, ...]:
    """What to keep of a compiled piece."""
    descriptor = copy.copy(result.fndesc)
    descriptor.typemap = descriptor.calltypes = None  # as Numba does: large, and not needed
    descriptor.argtypes = ()  # who asks for a piece has them; a function among them stays itself
    environments = tuple(result._find_referenced_environments())
    returns = result.signature.return_type
    return result.library.content(), descriptor, result.environment, returns, environments


def rebuild(
    target_context: Any, payload: tuple[Any, ...], arguments: tuple[Any, ...]
) -> CompileResult:
    """A compiled piece from what was kept of it, for the same types of arguments."""
    content, descriptor, environment, returns, environments = payload
    descriptor.argtypes = arguments
    library = Piece.from_content(target_context.codegen(), content)
    return CompileResult(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=environment,
        entry_point=target_context.get_executable(library, descriptor, environment),
        fndesc=descriptor,
        type_annotation="",
        signature=typing.signature(returns, *arguments),
        objectmode=False,
        lifted=(),
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=(),
        referenced_envs=environments,
    )

"""How Numba kernels are declared: types fixed, code kept on disk, loaded when first called.

Loading a kernel from Numba's cache costs milliseconds and there are many kernels; a job that needs
few of them starts sooner if the others are left alone.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TypeVar, cast

from numba import config, njit
from numba.core.caching import FunctionCache
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys


def _cache_folder() -> str:
    """Where compiled kernels are kept; empty: Numba finds a place by itself.

    Numba looks beside the code, then in the user's own cache. Where neither can be written, as in
    many containers, kernels live as long as the process: a folder that others can write is no
    place for code.
    """
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    places = (Path(__file__).parent, *_existing(Path(user)))
    if config.CACHE_DIR or any(os.access(place, os.W_OK) for place in places):
        return ""
    return tempfile.mkdtemp(prefix="sameriver-")


def _existing(path: Path) -> list[Path]:
    """The path, or what of it is there."""
    return [next(place for place in (path, *path.parents) if place.exists())]


config.CACHE_DIR = _cache_folder() or config.CACHE_DIR

Function = TypeVar("Function", bound=Callable[..., Any])

_LOCK = Lock()
_NOTES: list[Callable[[], None]] = []


def before_compiling(tell: Callable[[], None]) -> None:
    """Has ``tell`` called once, before a kernel that is not kept yet is compiled."""
    _NOTES.append(tell)


class _Kept(FunctionCache):  # type: ignore[misc]
    """Compiled code, loaded without what would be needed to compile it.

    Numba makes all its registries ready before it looks for kept code, which takes longer than
    everything else in a small job. Code that is there already needs the memory manager alone.
    """

    def load_overload(self, signature: Any, target: Any) -> Any:
        rtsys.initialize(target)
        kept = None
        with self._guard_against_spurious_io_errors():
            kept = self._load_overload(signature, target)
        if kept is None:
            while _NOTES:
                _NOTES.pop()()
        return kept


def _dispatcher(function: Callable[..., Any]) -> Any:
    dispatcher = njit(nogil=True, cache=True)(function)
    dispatcher._cache = _Kept(function)
    return dispatcher


def warm() -> None:
    """Makes Numba's memory manager ready in the background.

    It is made of LLVM's calls, which leave Python free to load and plan meanwhile.
    """
    Thread(target=rtsys.initialize, args=(cpu_target.target_context,), daemon=True).start()


class Kernel:
    """A compiled function for exactly the declared signatures.

    It can be called from Python only; what other kernels call is a ``helper``.
    """

    __slots__ = ("__name__", "_call", "_function", "_signatures")

    _call: Callable[..., Any]

    def __init__(self, function: Callable[..., Any], signatures: tuple[Any, ...]) -> None:
        self.__name__ = function.__name__
        self._function = function
        self._signatures = signatures
        self._call = self._first

    def __call__(self, *args: Any) -> Any:
        return self._call(*args)

    def _first(self, *args: Any) -> Any:
        return self.loaded()(*args)

    def loaded(self) -> Any:
        """Numba's dispatcher, with everything compiled."""
        with _LOCK:
            if self._call == self._first:
                dispatcher = _dispatcher(self._function)
                for signature in self._signatures:
                    dispatcher.compile(signature)
                dispatcher.disable_compile()
                self._call = dispatcher
        return self._call


def kernel(*signatures: Any) -> Callable[[Function], Function]:
    """Declares a kernel that Python calls, with the types it is compiled for."""

    def declare(function: Function) -> Function:
        return cast(Function, Kernel(function, signatures))

    return declare


@cache
def address(function: Callable[..., Any]) -> int:
    """Where C finds a kernel, which has one signature; it needs no Python to run."""
    assert isinstance(function, Kernel)
    (compiled,) = function.loaded().overloads.values()
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name))


def helper(function: Function) -> Function:
    """Declares a function that kernels call; it becomes part of them.

    It can't make arrays. So those that it is given live longer than its call, and it need not count
    references to them, which would cost more than what most helpers do. Nor is it called: handing
    arrays over would cost as much again.
    """
    return cast(Function, njit(nogil=True, cache=True, _nrt=False, forceinline=True)(function))

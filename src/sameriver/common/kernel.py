"""How Numba kernels are declared: types fixed, code kept on disk, loaded when first called.

Loading a kernel from Numba's cache costs milliseconds and there are many kernels; a job that needs
few of them starts sooner if the others are left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

_LOCK = Lock()


class Kernel:
    """A compiled function for exactly the declared signatures.

    It can be called from Python only; what other kernels call is a ``helper``.
    """

    __slots__ = ("__name__", "_call", "_function", "_signatures")

    def __init__(self, function: Callable[..., Any], signatures: tuple[Any, ...]) -> None:
        self.__name__ = function.__name__
        self._function = function
        self._signatures = signatures
        self._call: Callable[..., Any] = self._first

    def __call__(self, *args: Any) -> Any:
        return self._call(*args)

    def _first(self, *args: Any) -> Any:
        with _LOCK:
            if self._call == self._first:
                dispatcher = njit(nogil=True, cache=True)(self._function)
                for signature in self._signatures:
                    dispatcher.compile(signature)
                dispatcher.disable_compile()
                self._call = dispatcher
        return self._call(*args)


def kernel(*signatures: Any) -> Callable[[Function], Function]:
    """Declares a kernel that Python calls, with the types it is compiled for."""

    def declare(function: Function) -> Function:
        return cast(Function, Kernel(function, signatures))

    return declare


def helper(function: Function) -> Function:
    """Declares a function that kernels call; it becomes part of them."""
    return cast(Function, njit(nogil=True, cache=True)(function))

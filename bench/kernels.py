"""The kernel of the fast path: the vector instructions that tokenizers use."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import piecework as pw

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NAMES = ("scalar", "SSSE3", "AVX2", "AVX-512")
"""The names of kernels, as `piecework inspect` prints them."""


def current() -> str:
    """Returns the kernel of a tokenizer that is made now."""
    return pw.Tokenizer.from_str("[UNK]\na\n")._core.kernel() or "none"


def use(name: str) -> None:
    """Makes all tokenizers of this process use one kernel, or ends the run if the machine does not have it."""
    if pw.Tokenizer.from_str("[UNK]\na\n")._core.with_kernel(name) is None:
        sys.exit(f"this machine has no kernel {name}; its own one is {current()}")
    wrap = pw.Tokenizer._wrap

    def with_kernel(core: Any, functions: Sequence[Callable[[str], object]] = ()) -> pw.Tokenizer:
        # A pipeline without a fast path has no kernel.
        return wrap(core.with_kernel(name) or core, functions)

    pw.Tokenizer._wrap = staticmethod(with_kernel)  # type: ignore[method-assign, assignment]

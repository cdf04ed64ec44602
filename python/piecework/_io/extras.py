"""Imports the packages of optional formats and file systems, with an error that names what to install."""

from __future__ import annotations

import importlib
import shutil
from typing import Any

from piecework.errors import MissingExtraError

_PACKAGES = {
    "chat": "jinja2",
    "parquet": "pyarrow",
    "play": "starlette uvicorn",
    "ray": '"ray[data]"',
    "remote": "fsspec",
    "spark": "pyspark pyarrow pandas",
    "zstd": "zstandard",
}
"""The packages of each extra, as they are installed by their names."""


def has_program(name: str) -> bool:
    """Returns whether the system finds a program by its name.

    >>> has_program("no such program")
    False
    """
    return shutil.which(name) is not None


def import_extra(module: str, extra: str, place: str) -> Any:
    """Returns a module of a package that an extra of piecework installs.

    Args:
        module: The name of the module.
        extra: The name of the extra.
        place: The file that requires it, for the error.

    Raises:
        MissingExtraError: The package is not installed.

    >>> import_extra("no_such_package", "parquet", "a.parquet")
    Traceback (most recent call last):
    ...
    piecework.errors.MissingExtraError: a.parquet: requires the package no_such_package; install it: pip install pyarrow
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            raise  # the package lacks one of its own
        raise MissingExtraError(
            f"requires the package {package}",
            hint=f"install it: pip install {_PACKAGES[extra]}",
            place=f"{place}: ",
        ) from error

"""Connections to the real engines, in a network that has nothing but loopback (`make test-cluster`)."""

import importlib.util
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from piecework.engines import Ray, Spark, connected

MISSING = [name for name in ("ray", "pyspark") if importlib.util.find_spec(name) is None]
IS_ALONE = [name for _, name in socket.if_nameindex()] == ["lo"]
TWO: dict[str, Any] = {"ray": Ray(workers=2), "spark": Spark(workers=2)}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if Path(__file__).parent in item.path.parents]
    reason = f"needs {' and '.join(MISSING)}: make test-cluster" if MISSING else ""
    for item in here:
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True, scope="session")
def loopback() -> None:
    """Fails where another machine could reach what the tests start."""
    assert MISSING or IS_ALONE, "run these tests in a network namespace: make test-cluster"
    os.environ["PYTHONPATH"] = os.pathsep.join(_paths())  # for workers


def _paths() -> list[str]:
    root = Path(__file__).parents[2]
    return [str(root / "python"), str(root / "tests" / "helpers")]


NAMES = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in TWO]


@pytest.fixture(scope="session", params=NAMES)
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Returns each engine, connected for all tests of it."""
    engine = TWO[request.param]
    with connected(engine):
        yield engine


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    """Returns the name of each engine, for programs that connect themselves."""
    return str(request.param)

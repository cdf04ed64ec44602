"""Engines of clusters without their packages, and calls that a worker refuses."""

import importlib.util
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import engine_functions as functions
import piecework as pw
from piecework.engines import Ray, Spark, _remote as remote, connected
from piecework.engines._connection import Connection
from piecework.engines._jobs.tasks import Task
from piecework.engines._messages import pack, result_of
from piecework.errors import ConfigError, MissingExtraError, WorkerError

has_cluster = importlib.util.find_spec("ray") or importlib.util.find_spec("pyspark")


@pytest.mark.skipif(bool(has_cluster), reason="Ray or Spark is installed here")
@pytest.mark.parametrize(
    ("engine", "packages"), [(Ray(), r'"ray\[data\]"'), (Spark(), "pyspark pyarrow pandas")]
)
def test_a_missing_extra_is_an_error_with_its_packages(engine: Any, packages: str) -> None:
    with pytest.raises(MissingExtraError, match=f"install it: pip install {packages}$"):
        list(engine.run(functions.square, [1]))
    with pytest.raises(MissingExtraError), connected(engine):
        pass


@pytest.mark.parametrize("engine", [Ray, Spark])
@pytest.mark.parametrize("workers", [0, True, "2"])
def test_a_wrong_number_of_workers(engine: Any, workers: Any) -> None:
    with pytest.raises(ConfigError, match="workers: expected a positive integer or None"):
        engine(workers=workers)


def test_addresses_and_workers_are_not_confused() -> None:
    with pytest.raises(TypeError, match="address"):
        Ray(2)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="master"):
        Spark(2)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="workers: applies to this machine; a cluster decides"):
        Spark(master="spark://head:7077", workers=2)
    assert Spark(config={"spark.master": "spark://head:7077"}).is_remote
    assert not Spark(master="local[2]").is_remote
    assert not Ray().is_remote


def test_a_connection_ends_with_its_last_user() -> None:
    calls: list[str] = []
    connection = Connection()

    def used(is_open: bool = False) -> Any:
        return connection.used(
            is_open=lambda: is_open,
            connect=lambda: calls.append("connect"),
            close=lambda: calls.append("close"),
        )

    with used():
        with used():
            pass
        assert calls == ["connect"]
    assert calls == ["connect", "close"]
    with used(is_open=True):
        pass
    assert calls == ["connect", "close"]


def test_relative_names_start_from_the_folder_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    before = os.getcwd()
    answer = remote.call(pw.__version__, str(tmp_path), pack(os.path.exists), pack("a"))
    assert result_of(answer)
    assert os.getcwd() == before
    assert result_of(remote.call(pw.__version__, str(tmp_path / "no"), pack(len), pack("a"))) == 1


def test_a_call_is_answered_with_its_result_or_its_error() -> None:
    version = pw.__version__
    answer = remote.call(version, ".", pack(functions.square), pack(7))
    assert result_of(answer) == 49
    with pytest.raises(ZeroDivisionError):
        result_of(remote.call(version, ".", pack(functions.inverse), pack(0)))


def test_another_version_on_a_worker_is_an_error() -> None:
    answer = remote.call("9.9", ".", pack(functions.square), pack(7))
    with pytest.raises(WorkerError, match=rf"has piecework {pw.__version__}; the program has 9\.9"):
        result_of(answer)


def test_a_worker_without_piecework_is_an_error() -> None:
    """The call alone runs in a Python without the package."""
    code = (
        "import importlib.util, pickle, sys\n"
        "spec = importlib.util.spec_from_file_location('remote', sys.argv[1])\n"
        "remote = importlib.util.module_from_spec(spec); spec.loader.exec_module(remote)\n"
        "sys.stdout.write(remote.call('1', '.', b'', b''))"
    )
    # Isolated and without site-packages: no path leads to piecework.
    run = [sys.executable, "-I", "-S", "-c", code, remote.__file__]
    answer = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    with pytest.raises(WorkerError, match=r"cannot import piecework \(No module named 'piecework'"):
        result_of(answer)


class Agreed(Task):
    value = 1

    def compatibility(self) -> dict[str, Any]:
        return {"value": self.value}


def test_a_worker_that_computes_another_value_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(Agreed("plan", "folder"))
    assert isinstance(pickle.loads(data), Agreed)
    monkeypatch.setattr(Agreed, "value", 2)
    with pytest.raises(WorkerError, match="another value than the program: 2 instead of 1"):
        pickle.loads(data)
    answer = remote.call(pw.__version__, ".", data, pack(1))
    with pytest.raises(WorkerError, match="another value than the program"):
        result_of(answer)


def test_what_cannot_be_pickled_is_an_error() -> None:
    with pytest.raises(WorkerError, match="cannot be sent to a worker"):
        pack(lambda: 1)

"""`piecework play` as a process: its address, its port, and its end."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from urllib.request import urlopen

import pytest

pytest.importorskip("uvicorn", reason="the extra `play` is not installed")
pytest.importorskip("starlette", reason="the extra `play` is not installed")

pytestmark = pytest.mark.slow  # each test starts processes
COMMAND = [sys.executable, "-m", "piecework", "play"]


@contextmanager
def served(*arguments: str, **environment: str) -> Iterator[tuple[Any, str]]:
    """Runs the command; gives the process and the address that it prints."""
    with subprocess.Popen(
        [*COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def refusal(*arguments: str, **environment: str) -> str:
    """Returns the message of a command that starts no server."""
    ended = subprocess.run(
        [*COMMAND, "--no-browser", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | environment,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    return ended.stderr


def read(address: str) -> str:
    with urlopen(address, timeout=60) as answer:
        text: str = answer.read().decode()
    return text


def test_address_and_end(tok_file: Path) -> None:
    with served("--no-browser", str(tok_file)) as (process, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{22}/", address)
        assert "<title>piecework" in read(address)
        assert tok_file.name in read(f"{address}api/session")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (0, "", "Ctrl-C ends the server.\n")


def test_end_while_a_training_runs(tok_file: Path) -> None:
    numbers = Random(1)
    word = "".join(numbers.choices("abcdefghij", k=190_000))
    training = {"text": word, "model": "wordpiece", "vocab_size": 4000, "side_by_side": True}
    with served("--no-browser", str(tok_file)) as (process, address):
        asked = socket.create_connection(("127.0.0.1", int(address.split(":")[2].split("/")[0])))
        body = json.dumps(training).encode()
        path = f"/{address.split('/')[3]}/api/trace"
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        asked.sendall(head.encode() + body)
        asked.settimeout(2)
        with pytest.raises(TimeoutError):  # the training runs
            asked.recv(1)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
        asked.close()


def test_tokenizers_of_the_page() -> None:
    with served("--no-browser") as (_, address):
        assert "wordpiece" in read(f"{address}api/session").lower()


def test_chosen_port(tok_file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        message = refusal("--port", port, str(tok_file))
    assert f"port {port}: Address already in use" in message
    with served("--no-browser", "--port", port, str(tok_file)) as (_, address):
        assert address.startswith(f"http://127.0.0.1:{port}/")
        assert read(address)


@pytest.mark.skipif(sys.platform == "win32", reason="the browser is a shell script")
def test_browser_is_opened(tmp_path: Path, tok_file: Path) -> None:
    opened = tmp_path / "opened"
    os.mkfifo(opened)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{opened}"\n')
    browser.chmod(0o755)
    with served(str(tok_file), BROWSER=f"{browser} %s") as (_, address):
        assert opened.read_text().strip() == address
        assert read(address)


def test_file_that_is_no_tokenizer(tmp_path: Path) -> None:
    file = tmp_path / "empty.json"
    file.write_text("")
    assert "empty.json" in refusal(str(file))


def test_missing_extra(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'uvicorn'\", name='uvicorn')\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    assert "pip install starlette uvicorn" in refusal(PYTHONPATH=path)

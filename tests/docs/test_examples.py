"""The programs of examples/ run and print the expected lines."""

import subprocess
import sys
from pathlib import Path

import pytest

from paths import REPOSITORY

EXAMPLES = REPOSITORY / "examples"
SHOWN = {
    "chinese.py": "  tokens  自然语言处理 用 隐马尔可夫模型 ",
    "demo.py": "loaded again: the same tokenizer\n",
    "qa_windows.py": "characters 270 to 291: on the ninth of March\n",
}


def test_every_example_has_a_test_case() -> None:
    assert sorted(path.name for path in EXAMPLES.glob("*.py")) == sorted(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_example_prints_expected_lines(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", EXAMPLES / name],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert SHOWN[name] in done.stdout

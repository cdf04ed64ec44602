"""The DuckDB recipe of docs/dataframes.md, in a process of its own: DuckDB writes to standard error at its end."""

import subprocess
import sys

import pytest

from paths import REPOSITORY

pytest.importorskip("duckdb", reason="DuckDB is not installed")
PAGE = REPOSITORY / "docs" / "dataframes.md"
PROGRAM = """
import doctest, sys
text, page = sys.stdin.read(), {}
test = doctest.DocTestParser().get_doctest(text, page, "docs/dataframes.md", None, 0)
runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
runner.run(test)
sys.exit(f"{runner.failures} failed" if runner.failures or not runner.tries else 0)
"""


def test_the_recipe_prints_what_it_shows() -> None:
    page = PAGE.read_text(encoding="utf-8")
    first = page.index("```python\n>>> import piecework")
    set_up = page[first : page.index("```\n", first)].removeprefix("```python\n")
    recipe = page[page.index("```py\n") :].removeprefix("```py\n").partition("```\n")[0]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=f"{set_up}>>> import pyarrow\n{recipe}",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout

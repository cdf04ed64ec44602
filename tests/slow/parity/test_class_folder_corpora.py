"""Folders saved by classes of `transformers` against `AutoTokenizer`: many texts and corpora."""

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import class_folders as live

pytestmark = pytest.mark.parity

CORPORA = ("en/botchan.txt", "zh/cmrc2018-a.txt", "multi/ja-docs.txt", "code/go-std.txt")

WARNED = {
    ("BertTokenizer", "add_prefix_space"),
    ("BertTokenizer", "do_lower_case"),
    ("CLIPTokenizer", "add_prefix_space"),
    ("Qwen2Tokenizer", "add_prefix_space"),
}
"""Settings that are not applied to a tokenizer.json; a warning names them."""


def lines_of(corpus_lines: Callable[[str], Iterator[str]], number: int) -> list[str]:
    return [line for name in CORPORA for line in itertools.islice(corpus_lines(name), number)]


@pytest.mark.filterwarnings("ignore:.*in decoding; here they are kept")
@pytest.mark.parametrize("name", live.SMALL)
def test_small_vocabularies_equal_the_class(
    data: Path, tmp_path: Path, name: str, corpus_lines: Callable[[str], Iterator[str]]
) -> None:
    lines = [line for line in lines_of(corpus_lines, 500) if "\0" not in line]
    path = live.folder(name, data, tmp_path)
    decodes = live.family_of(name).decoding is None
    live.check_class(path, name, [*live.texts(2000), *lines], decodes=decodes)


@pytest.mark.parametrize("name", live.CLASSES)
def test_saved_folders_equal_transformers(
    data: Path, tmp_path: Path, name: str, corpus_lines: Callable[[str], Iterator[str]]
) -> None:
    lines = lines_of(corpus_lines, 2000)
    some = [*live.texts(5000), *(line for line in lines if "\0" not in line)]
    path = live.folder(name, data, tmp_path)
    live.check_equal(path, some)
    config = json.loads((path / "tokenizer_config.json").read_text("utf-8"))
    changes: list[live.Json] = [{"add_prefix_space": True}, {"do_lower_case": False}]
    applied = [more for more in changes if (name, *more) not in WARNED]
    for changed in ({"tokenizer_class": name}, *(config | more for more in applied)):
        live.check_equal(live.configure(path, changed), some[:3000])

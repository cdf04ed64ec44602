"""The functions that take tokenizers: those of `piecework.hf` are accepted, all others are named."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import piecework as pw
from piecework import corpus, hf

if TYPE_CHECKING:
    from collections.abc import Callable

OWN = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("hugs hug\n")
    return path


def folder() -> str:
    return tempfile.mkdtemp()


FUNCTIONS: dict[str, Callable[[Any, Path], Any]] = {
    "extend": lambda tok, _: pw.extend(tok, {"hugs": 9}, new_tokens=1).added,
    "prune": lambda tok, _: pw.prune(tok, {"hugs": 9}, vocab_size=3).removed,
    "lint": lambda tok, _: pw.lint(tok),
    "diff to": lambda tok, _: pw.diff(OWN, tok).to_dict(),
    "diff from": lambda tok, _: pw.diff(tok, OWN).to_dict(),
    "compare": lambda tok, _: pw.compare({"a": tok}, "hugs").to_dict(),
    "evaluate, disagreements": lambda tok, path: pw.evaluate(
        {"a": tok}, pw.Corpus(path), disagreements=5
    ).to_dict(),
    "evaluate": lambda tok, _: pw.evaluate(tok, ["hugs"]).to_dict(),
    "evaluate several": lambda tok, _: pw.evaluate({"a": tok}, ["hugs"]).to_dict(),
    "evaluate, files": lambda tok, path: pw.evaluate(tok, pw.Corpus(path)).to_dict(),
    "corpus.tokenize": lambda tok, path: (
        corpus.tokenize(tok, pw.Corpus(path), Path(folder(), "out")).tokens
    ),
    "corpus.verify": lambda tok, path: corpus.verify(_made(path), tok),
}


def _made(path: Path) -> Path:
    output = Path(folder(), "out")
    corpus.tokenize(OWN, pw.Corpus(path), output)
    return output


@pytest.mark.parametrize("name", FUNCTIONS)
def test_tokenizers_of_hf_are_accepted(name: str, text_file: Path) -> None:
    call = FUNCTIONS[name]
    assert call(hf.Tokenizer.from_str(OWN.to_str()), text_file) == call(OWN, text_file)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_other_tokenizers_are_named_with_the_way_over(name: str, text_file: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="passes a tokenizer of that library")
    peer = tokenizers.Tokenizer.from_str(OWN.to_str())
    with pytest.raises(TypeError, match=r"found a Tokenizer of tokenizers; pass .*\.to_str\(\)\)$"):
        FUNCTIONS[name](peer, text_file)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("path", ["tokenizer.json", Path("tokenizer.json")])
def test_paths_are_named_with_the_call_that_loads_them(
    name: str, path: str | Path, text_file: Path
) -> None:
    with pytest.raises(TypeError, match=r"load it: piecework\.Tokenizer\.from_file\("):
        FUNCTIONS[name](path, text_file)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("value", [3, pw.Tokenizer, object()])
def test_other_values_are_type_errors(name: str, value: object, text_file: Path) -> None:
    with pytest.raises(TypeError, match=r"expected a piecework\.Tokenizer, found "):
        FUNCTIONS[name](value, text_file)

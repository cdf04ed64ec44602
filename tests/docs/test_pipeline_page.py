"""docs/pipeline.md lists every component, with its parameters and their defaults."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import piecework as pw
from paths import REPOSITORY
from piecework import decoders, models, normalizers, pre_tokenizers, processors

PAGE = (REPOSITORY / "docs" / "pipeline.md").read_text(encoding="utf-8")
SPEC = (REPOSITORY / "spec" / "pipeline.md").read_text(encoding="utf-8")
SECTIONS = {
    "Normalizers": normalizers,
    "Pre-tokenizers": pre_tokenizers,
    "Models": models,
    "Post-processors": processors,
    "Decoders": decoders,
}


def written(component: type) -> str:
    """Returns a class with its parameters in the notation of the page."""
    parameters = inspect.signature(component).parameters.values()
    shown = (p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters)
    return f"{component.__name__}({', '.join(shown)})"


@pytest.mark.parametrize("title", SECTIONS)
def test_every_component_is_listed(title: str) -> None:
    module = SECTIONS[title]
    classes = (getattr(module, name) for name in module.__all__)
    components = {written(c) for c in classes if isinstance(c, type) and "type_name" in vars(c)}
    found = re.search(rf"^### {title}: .*?(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    rows = re.findall(r"^\| (`.*?) \| ", found[0], re.MULTILINE)
    assert components == {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def rows(text: str, start: str) -> list[list[str]]:
    """Returns the cells of the first table after a heading or line, without its two head lines."""
    table = re.search(r"(?:^\|.*\n)+", text[text.index(start) :], re.MULTILINE)
    assert table
    lines = table[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_differences_equal_those_of_the_specification() -> None:
    specified = rows(SPEC, "\n## 9. Where we differ from the library")
    shown = rows(PAGE, "\nDifferences in results:")
    assert [row[0] for row in shown] == [row[0] for row in specified]
    assert [row[1] for row in shown] == [row[1] for row in specified]
    assert len({row[0] for row in shown}) == len(shown) >= 19
    assert {len(row) for row in shown} == {4}


# The table of what trained pipelines decode to

TEXT = "low  lower ,  newest"
WORDS, TOGETHER = "low lower , newest", "lowlower,newest"
KEEPING: dict[str, Any] = {
    "ByteLevel": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "Metaspace": pre_tokenizers.Metaspace(),
    "Digits": pre_tokenizers.Digits(),
    "none": None,
}
REMOVING: dict[str, Any] = {
    "BertPreTokenizer": pre_tokenizers.BertPreTokenizer(),
    "WhitespaceSplit": pre_tokenizers.WhitespaceSplit(),
    "Jieba": pre_tokenizers.Jieba(),
}
MARKED: dict[str, Any] = {
    "WordPiece": pw.WordPieceTrainer(40),
    "BPE with `end_of_word_suffix`": pw.BpeTrainer(max_merges=6, end_of_word_suffix="</w>"),
    "`continuing_subword_prefix`": pw.BpeTrainer(max_merges=6, continuing_subword_prefix="##"),
}
SPACED: dict[str, Any] = {"BPE": pw.BpeTrainer(max_merges=6), "Unigram": pw.UnigramTrainer(34)}
JOINED: dict[str, Any] = {
    "WordPiece with an empty prefix": pw.WordPieceTrainer(40, continuing_subword_prefix=""),
    "Unigram with `byte_fallback`": pw.UnigramTrainer(290, byte_fallback=True),
}
MODELS = MARKED | SPACED | JOINED


def behind(split: Any, other: Any) -> Any:
    return pre_tokenizers.Sequence([split, other])


def trained_rows() -> Iterator[tuple[int, str, str, Any, Any, str]]:
    """Gives the row of the table, names, a pre-tokenizer, a trainer, and the text that decoding should give."""
    own = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for split, splitter in KEEPING.items():
        for name, trainer in MODELS.items():
            yield 0, split, name, splitter, trainer, TEXT
    spaced = pre_tokenizers.ByteLevel(add_prefix_space=True)
    yield 0, "ByteLevel, prefix space", "BPE", spaced, SPACED["BPE"], " " + TEXT
    for split, splitter in REMOVING.items():
        for name, trainer in MARKED.items():
            bert = (split, name) == ("BertPreTokenizer", "WordPiece")
            yield 1, split, name, splitter, trainer, WORDS.replace(" ,", ",") if bert else WORDS
            yield 4, f"{split}, ByteLevel", name, behind(splitter, own), trainer, WORDS
        for name, trainer in SPACED.items():
            yield 2, split, name, splitter, trainer, ""
        for name, trainer in JOINED.items():
            yield 3, split, name, splitter, trainer, TOGETHER
        for name, trainer in (SPACED | JOINED).items():
            yield 5, f"{split}, ByteLevel", name, behind(splitter, own), trainer, TOGETHER
        for scheme in ("always", "never", "first"):
            mark = behind(splitter, pre_tokenizers.Metaspace(prepend_scheme=scheme))
            for name, trainer in MODELS.items():
                is_lost = scheme != "always" and name not in MARKED
                expected = TOGETHER if is_lost else WORDS
                yield 6, f"{split}, Metaspace {scheme}", name, mark, trainer, expected


CASES = list(trained_rows())


@pytest.mark.parametrize(
    ("splitter", "trainer", "expected"),
    [case[3:] for case in CASES],
    ids=[f"{row}: {split}, {name}" for row, split, name, *_ in CASES],
)
def test_trained_pipelines_decode_as_the_table_says(
    splitter: Any, trainer: Any, expected: str
) -> None:
    corpus = [TEXT] * 2 + ["abcdefghijklmnopqrstuvwxyz"]
    tok = pw.train(corpus, trainer, normalizer=None, pre_tokenizer=splitter)
    encoding = tok.encode(TEXT, add_special_tokens=False)
    assert tok.decode(encoding.ids) == (expected or " ".join(encoding.tokens))


def test_the_table_has_these_rows() -> None:
    shown = rows(PAGE, "\ndepends on the pre-tokenizer:")
    assert {row for row, *_ in CASES} == set(range(len(shown)))
    assert len(shown) == 7
    assert all(f"`{name}`" in shown[1][0] for name in REMOVING)
    assert all(name.split(" with ")[-1] in shown[1][1] for name in MARKED)
    assert all(name in shown[2][1] for name in SPACED)
    assert all(name in shown[3][1] for name in JOINED)

"""The setting and the hint of errors and warnings."""

import copy
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import piecework as pw
from piecework.errors import PieceworkError, PieceworkWarning

TOKENIZER = pw.train(["the cat sat on the mat"], pw.WordPieceTrainer(60))


ERRORS: list[tuple[Callable[[], object], str | None, str | None]] = [
    (
        lambda: pw.train(["the cat"], pw.WordPieceTrainer(5)),
        "vocab_size",
        "raise `vocab_size`, or lower the alphabet with `limit_alphabet`",
    ),
    (lambda: pw.WordPieceTrainer(vocab_size=0), "vocab_size", None),
    (lambda: pw.WordPieceTrainer(50, criterion="pim"), "criterion", "did you mean 'pmi'?"),  # type: ignore[arg-type]
    (lambda: pw.WordPieceTrainer(50, ties="hff"), "ties", "did you mean 'hf'?"),  # type: ignore[arg-type]
    (
        lambda: pw.WordPieceTrainer(50, user_defined_symbols=["[SEP]"]),
        "user_defined_symbols",
        "remove one of them",
    ),
    (lambda: pw.UnigramTrainer(50, shrinking_factor=1.0), "shrinking_factor", None),
    (lambda: pw.Truncation(4, stride=4), "stride", None),
    (lambda: TOKENIZER.encode_batch(["a"], threads=0), "threads", None),
    (lambda: TOKENIZER.encode("a", specials="all"), "specials", None),  # type: ignore[arg-type]
    (
        lambda: TOKENIZER.encode("a", truncation=1),
        "max_length",
        "raise `max_length`, or pass `add_special_tokens=False`",
    ),
    (lambda: TOKENIZER.decode([99]), None, None),
    (lambda: TOKENIZER.decode([-1]), "ids", "pass token ids, as encode returns them"),
    (lambda: pw.Tokenizer.from_str("[UNK]\na\na\n"), None, "remove one of them"),
    (
        lambda: pw.Tokenizer.from_str("a\n"),
        None,
        "pass `unk_token=...` to name it, or `unk_token=None` if there is none",
    ),
    (lambda: pw.normalizers.Normalizer.from_dict({"type": "NFKd"}), None, "did you mean 'NFKD'?"),
    (lambda: pw.pre_tokenizers.Metaspace("ab"), "replacement", None),
    (lambda: pw.Tokenizer.from_file("nothing.json"), None, None),
]


@pytest.mark.parametrize(("call", "setting", "hint"), ERRORS, ids=range(len(ERRORS)))
def test_errors_name_the_setting_and_the_remedy(
    call: Callable[[], object], setting: str | None, hint: str | None
) -> None:
    with pytest.raises(PieceworkError) as caught:
        call()
    error = caught.value
    assert (error.setting, error.hint) == (setting, hint)
    named = f"{setting}: {error.problem}" if setting else error.problem
    assert str(error) == f"{error.place}{named}" + (f"; {hint}" if hint else "")
    for same in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (str(same), same.setting, same.hint) == (str(error), setting, hint)


def test_hint_for_invalid_utf8(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(b"a\n\xff")
    with pytest.raises(pw.errors.InvalidUtf8Error) as caught:
        pw.train(pw.Corpus([file]), pw.WordPieceTrainer(50))
    assert caught.value.hint is not None
    assert caught.value.hint.startswith('pass `encoding="auto"` (cp1252 here)')
    assert (caught.value.line, caught.value.byte) == (2, 2)
    assert str(caught.value).startswith(f"{file}: invalid UTF-8 in line 2")


def test_hint_for_special_tokens() -> None:
    with pytest.raises(pw.errors.SpecialTokenError) as caught:
        TOKENIZER.encode("the [SEP]", specials="error")
    assert caught.value.hint is not None
    assert caught.value.hint.startswith('pass `specials="text"`')
    assert caught.value.hint not in caught.value.problem


def test_errors_in_files_begin_with_the_place(tmp_path: Path) -> None:
    file = tmp_path / "vocab.txt"
    file.write_text("[UNK]\na\na\n", encoding="utf-8")
    with pytest.raises(pw.errors.FormatError) as caught:
        pw.Tokenizer.from_file(file)
    assert caught.value.place == f"{file}: line 3: "
    assert caught.value.problem == 'duplicate token "a" (first on line 2)'
    assert repr(caught.value) == f"FormatError({str(caught.value)!r})"


def test_warnings_have_a_setting_and_a_hint() -> None:
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        pw.train(["the cat sat"], pw.BpeTrainer(30, unk_token=None))
    warning = raised[0].message
    assert isinstance(warning, PieceworkWarning)
    assert (warning.setting, warning.hint) == ("unk_token", "pass `unk_token=...`")
    assert str(warning).startswith("unk_token: without an unknown token, encoding drops")


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"\xfd7zXZ\0\0\0", "xz-compressed data"), (b"PAR1\x15\x04", "a Parquet file")],
)
def test_tokenizer_files_that_are_other_data_name_their_kind(
    content: bytes, kind: str, tmp_path: Path
) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_bytes(content)
    with pytest.raises(pw.errors.FormatError, match=f"this is {kind}, not text; "):
        pw.Tokenizer.from_file(file)


def test_hints_name_the_call_that_loads_a_file_or_folder(tmp_path: Path) -> None:
    with pytest.raises(pw.errors.NotAFileError, match=r"; load .* with Tokenizer\.from_folder$"):
        pw.Tokenizer.from_file(tmp_path)
    with pytest.raises(TypeError, match=r"; call Tokenizer\.from_file to load a file$"):
        pw.Tokenizer("m.model")  # type: ignore[arg-type]

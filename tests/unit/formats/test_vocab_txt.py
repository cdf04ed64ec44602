"""vocab.txt: reading and writing one token per line."""

import gzip
from pathlib import Path

import pytest

import piecework as pw
from piecework.errors import ConfigError, FormatError, PieceworkWarning

pytestmark = pytest.mark.smoke

BERT = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhug\n##s\n"


def test_line_numbers_are_ids(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text(BERT, encoding="utf-8")
    tokenizer = pw.Tokenizer.from_file(path)
    assert tokenizer.vocab == {token: i for i, token in enumerate(BERT.split())}
    tokenizer.save(tmp_path / "again.txt", "vocab.txt")
    assert (tmp_path / "again.txt").read_text(encoding="utf-8") == BERT


@pytest.mark.parametrize(
    "text", [BERT[:-1], BERT.replace("\n", "\r\n"), BERT.replace("hug", "hug \t")]
)
def test_line_ends_and_trailing_white_space_are_ignored(text: str) -> None:
    assert pw.Tokenizer.from_str(text) == pw.Tokenizer.from_str(BERT)


def test_other_white_space_is_a_part_of_a_token(tmp_path: Path) -> None:
    others = ["\u2028", "##\u2028", "a\u0085", "\u00a0", "b\u3000", "\x0b", "a\x0cb", "c\rd"]
    path = tmp_path / "vocab.txt"
    for end in ("\n", "\r\n"):
        path.write_bytes(end.join(["[UNK]", *others, ""]).encode())
        tokenizer = pw.Tokenizer.from_file(path)
        assert list(tokenizer.vocab) == ["[UNK]", *others]
        tokenizer.save(tmp_path / "again.txt", "vocab.txt")
        assert pw.Tokenizer.from_file(tmp_path / "again.txt") == tokenizer


@pytest.mark.parametrize("name", ["notes.md", "vocab", "notes.txt.md", "x.vocab", "x.json.bak"])
def test_other_text_is_no_vocabulary(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("# Notes\n\n[UNK]\nhug\n##s\n")
    with pytest.raises(FormatError, match=r"expected a tokenizer in one of the formats") as error:
        pw.Tokenizer.from_file(path)
    assert error.value.place == f"{path}: "
    with pytest.warns(PieceworkWarning, match="line 2 is empty"):
        tokenizer = pw.Tokenizer.from_file(path, format="vocab.txt")
    assert tokenizer.token_to_id("##s") == 4


def test_the_format_may_be_given(tmp_path: Path) -> None:
    path = tmp_path / "vocab.bin"
    path.write_text(BERT)
    expected = pw.Tokenizer.from_str(BERT)
    assert pw.Tokenizer.from_file(path, format="vocab.txt") == expected
    assert pw.Tokenizer.from_str(BERT, format="vocab.txt") == expected
    with pytest.raises(FormatError):
        pw.Tokenizer.from_file(path, format="tokenizer.json")
    with pytest.raises(ConfigError, match=r"format: expected one of .*vocab\.txt.*, found 'text'"):
        pw.Tokenizer.from_file(path, format="text")  # type: ignore[arg-type]  # the test
    zipped = tmp_path / "vocab.txt.gz"
    zipped.write_bytes(gzip.compress(BERT.encode()))
    assert pw.Tokenizer.from_file(zipped) == expected


def test_empty_line_is_an_empty_token(tmp_path: Path) -> None:
    with pytest.warns(PieceworkWarning, match=r"^line 2 is empty: the token of the id 1 has no"):
        tokenizer = pw.Tokenizer.from_str("[UNK]\n\nhug\n")
    assert tokenizer.vocab == {"[UNK]": 0, "": 1, "hug": 2}
    assert tokenizer.encode_ids("hug x") == [2, 0]
    tokenizer.save(tmp_path / "vocab.txt", "vocab.txt")
    with pytest.warns(PieceworkWarning, match=r"vocab\.txt: line 2 is empty"):
        assert pw.Tokenizer.from_file(tmp_path / "vocab.txt") == tokenizer
    for text in ("[UNK]\na\n", "[UNK]\r\na\r\n", "[UNK]\na"):
        pw.Tokenizer.from_str(text)  # without a warning


def test_special_tokens_are_those_in_the_file() -> None:
    tokenizer = pw.Tokenizer.from_str(BERT)
    assert list(tokenizer.special_tokens) == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert tokenizer.encode("hugs", "hug").tokens == [
        *("[CLS]", "hug", "##s", "[SEP]"),
        *("hug", "[SEP]"),
    ]
    few = pw.Tokenizer.from_str("[UNK]\n[SEP]\nhug\n")
    assert list(few.special_tokens) == ["[UNK]", "[SEP]"]
    assert few.encode("hug").tokens == ["hug"]


def test_settings_missing_in_the_file_are_arguments() -> None:
    text = "[UNK]\nHug\nhug\n@s\nhug!\nhugé\ne\n中\n"
    assert pw.Tokenizer.from_str(text, lowercase=False).tokenize("Hug") == ["Hug"]
    assert pw.Tokenizer.from_str(text).tokenize("Hug") == ["hug"]
    assert pw.Tokenizer.from_str(text, strip_accents=False).tokenize("HUGÉ") == ["hugé"]
    assert pw.Tokenizer.from_str(text, normalizer=None).tokenize("HUG") == ["[UNK]"]
    split = pw.pre_tokenizers.WhitespaceSplit()
    assert pw.Tokenizer.from_str(text, pre_tokenizer=split).tokenize("hug!") == ["hug!"]
    prefixed = pw.Tokenizer.from_str(text, continuing_subword_prefix="@")
    assert prefixed.tokenize("hugs") == ["hug", "@s"]
    assert prefixed.decode([2, 3]) == "hugs"
    plain = pw.Tokenizer.from_str(text, handle_chinese_chars=False)
    assert plain.tokenize("hug中") == ["[UNK]"]
    free = pw.Tokenizer.from_str("a\n##a\n", unk_token=None, max_input_chars_per_word=None)
    assert free.unk_token is None
    assert len(free.tokenize("a" * 1000)) == 1000


def test_normalizer_and_its_flags_are_mutually_exclusive() -> None:
    with pytest.raises(pw.errors.ConfigError, match="cannot be combined"):
        pw.Tokenizer.from_str(BERT, normalizer=None, lowercase=True)


def test_truncation_and_padding_arguments() -> None:
    tokenizer = pw.Tokenizer.from_str(BERT, truncation=3, padding=5)
    assert tokenizer.encode("hugs").tokens == ["[CLS]", "hug", "[SEP]", "[PAD]", "[PAD]"]
    assert (tokenizer.truncation, tokenizer.padding) == (
        pw.Truncation(3),
        pw.Padding(5, pad_id=0, pad_token="[PAD]"),
    )
    assert pw.Tokenizer.from_str(BERT, truncation=None, padding=None) == pw.Tokenizer.from_str(BERT)
    with pytest.raises(pw.errors.ConfigError, match="truncation"):
        pw.Tokenizer.from_str(BERT, truncation="longest")
    with pytest.raises(pw.errors.ConfigError, match=r"\[PAD\]"):
        pw.Tokenizer.from_str("[UNK]\nhug\n", padding=5)


def test_tokens_that_a_line_cannot_represent_raise(tmp_path: Path) -> None:
    tokenizer = pw.train(
        {"a b": 3}, pw.WordPieceTrainer(vocab_size=20), normalizer=None, pre_tokenizer=None
    )
    assert "## " in tokenizer.vocab
    with pytest.raises(pw.errors.VocabularyError, match=r"tokenizer\.json"):
        tokenizer.save(tmp_path / "vocab.txt", "vocab.txt")
    assert not list(tmp_path.iterdir())


def test_vocab_txt_stores_no_training_record(tmp_path: Path) -> None:
    made = pw.train({"hug": 2}, pw.WordPieceTrainer(vocab_size=20))
    with pytest.warns(pw.errors.PieceworkWarning, match=r"lacks or changes training$"):
        made.save(tmp_path / "vocab.txt", "vocab.txt")
    tokenizer = pw.Tokenizer.from_file(tmp_path / "vocab.txt")
    assert tokenizer.vocab == made.vocab
    assert (tokenizer.history, tokenizer.training.trainer, tokenizer.training.token_counts) == (
        (),
        None,
        None,
    )
    with pytest.raises(pw.errors.MissingCountsError, match=r"vocab\.txt"):
        tokenizer.lm.log_likelihood("hug")
    assert "unknown" in str(tokenizer.explain("hug"))


CAPITALS = [f"{first}{second}" for first in "ÀŁΩЖԱBCDEFG" for second in "abcdefghij"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_many_capitals_without_a_setting_raise_a_warning(end: str, tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes("".join(f"{token}{end}" for token in ["[UNK]", *CAPITALS]).encode())
    problem = r"vocab\.txt: 110 tokens have capital letters, such as 'Àa', .*`lowercase=False`"
    for load in (pw.Tokenizer.from_file, lambda path: pw.Tokenizer.from_folder(path.parent)):
        with pytest.warns(PieceworkWarning, match=problem):
            assert load(path).tokenize("Àa") == ["[UNK]"]
    cased = pw.Tokenizer.from_file(path, lowercase=False)
    assert cased.tokenize("Àa") == pw.Tokenizer.from_folder(tmp_path, lowercase=False).tokenize(
        "Àa"
    )
    assert cased.tokenize("Àa") == ["Àa"]
    assert pw.Tokenizer.from_file(path, lowercase=True).tokenize("Àa") == ["[UNK]"]


def test_few_capitals_raise_no_warning() -> None:
    specials = [f"[{token}]" for token in CAPITALS]
    vocab = "\n".join(["[UNK]", *CAPITALS[:100], *specials, ""])
    assert pw.Tokenizer.from_str(vocab).normalizer == pw.normalizers.BertNormalizer()


def test_a_text_is_called_one(tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    path.write_text("It was a dark night.\n\nIt rained on the town.\n\nThe end.\n")
    with pytest.raises(FormatError, match=r"duplicate token .*; this looks like a text"):
        pw.Tokenizer.from_file(path)

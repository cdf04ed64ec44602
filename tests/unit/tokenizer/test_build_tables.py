"""The tables of encoding: loading builds them, or the first call does, with the same results."""

import pickle
from pathlib import Path

import pytest

import piecework as pw
from piecework import errors, models

VOCAB = "[UNK]\n[CLS]\nhug\n##s\npug\n"


def byte_level() -> pw.Tokenizer:
    """Returns a tokenizer of bytes, whose vocabulary has a token that merges make and one that none makes."""
    from piecework import decoders, pre_tokenizers
    from piecework.hf.pre_tokenizers import ByteLevel

    tokens = [*sorted(ByteLevel.alphabet()), "hu", "hug", "<s>"]
    vocab = {token: number for number, token in enumerate(tokens)}
    model = models.BPE(vocab, [("h", "u"), ("hu", "g")])
    return pw.Tokenizer(
        model, pre_tokenizer=pre_tokenizers.ByteLevel(), decoder=decoders.ByteLevel()
    )


@pytest.mark.parametrize("specials", [None, "match", "text"])
@pytest.mark.parametrize("is_built", [True, False])
def test_results_do_not_depend_on_when_tables_are_built(
    specials: str | None, is_built: bool, tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    for tok in (byte_level(), pw.Tokenizer.from_str(VOCAB)):
        special = tok.with_added_tokens([pw.AddedToken("hug", special=True)])
        special.save(path)
        loaded = pw.Tokenizer.from_file(path, build_tables=is_built)
        if is_built:
            loaded.build_tables(specials)  # type: ignore[arg-type]
        for text in ("hugs hug", "pug é 中文", ""):
            wanted = special.encode(text, specials=specials)  # type: ignore[arg-type]
            found = loaded.encode(text, specials=specials)  # type: ignore[arg-type]
            assert (found.ids, found.offsets) == (wanted.ids, wanted.offsets)
            assert pickle.loads(pickle.dumps(loaded)).encode_ids(text) == loaded.encode_ids(text)


def test_a_wrong_flag_is_an_error_before_the_file_is_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    for load in (
        pw.Tokenizer.from_file,
        pw.Tokenizer.from_folder,
        pw.Tokenizer.from_tiktoken,
        pw.Tokenizer.from_sentencepiece,
        pw.Tokenizer.from_subword_nmt,
    ):
        with pytest.raises(TypeError, match="build_tables"):
            load(missing, build_tables="no")  # type: ignore[operator]


def test_an_unknown_treatment_of_special_tokens_is_an_error() -> None:
    with pytest.raises(errors.ConfigError, match="specials"):
        pw.Tokenizer.from_str(VOCAB).build_tables("none")  # type: ignore[arg-type]


def test_no_text_becomes_a_special_token_whose_marks_overlap() -> None:
    # The entry is the letter a with the prefix and the suffix, or a prefix and a suffix that share a letter.
    model = models.BPE(
        {"a": 0, "abcd": 1, "<unk>": 2},
        [],
        unk_token="<unk>",
        continuing_subword_prefix="ab",
        end_of_word_suffix="bcd",
    )
    tok = pw.Tokenizer(model).with_added_tokens([pw.AddedToken("abcd", special=True)])
    assert tok.encode("a", specials="text").tokens == ["<unk>"]

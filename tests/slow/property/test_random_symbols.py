"""Added tokens of SentencePiece tokenizers: ids and texts equal those of the library with user-defined symbols."""

import tempfile
import warnings
from pathlib import Path

from hypothesis import assume, given, strategies as st

import live_unigram as live
import piecework as pw
import sentencepiece_symbols as models

FLAGS: tuple[dict[str, bool], ...] = ({}, {"normalized": False}, {"special": True})
names = st.sampled_from(sorted(models.SETTINGS))
symbols = st.lists(st.sampled_from(models.SYMBOLS), min_size=1, max_size=4, unique=True)
texts = st.lists(st.sampled_from(models.PARTS), max_size=8).map("".join)


def added(name: str, symbols: list[str], **flags: bool) -> pw.Tokenizer:
    """Returns a tokenizer with added tokens."""
    tok = pw.Tokenizer.from_bytes(models.trained(name))
    return tok.with_added_tokens([pw.AddedToken(symbol, **flags) for symbol in symbols])


def saved(tok: pw.Tokenizer, name: str) -> pw.Tokenizer:
    """Returns a tokenizer that is saved and read again."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", pw.errors.PieceworkWarning)
        tok.save(Path(folder, name))
        return pw.Tokenizer.from_file(Path(folder, name))


def is_cut_alike(name: str, symbols: list[str], flags: dict[str, bool]) -> bool:
    """Returns whether texts are cut at special tokens as SentencePiece finds symbols: not where they compete by scores."""
    overlap = {"<P": {"<P>"}, "ab": {"bc"}, "the": set(), "<P>": {"<P"}, "bc": {"ab"}}
    is_clear = all(not overlap.get(symbol, set()) & set(symbols) for symbol in symbols)
    return not flags.get("special") or "unigram" not in name or is_clear


@given(names, symbols, st.sampled_from(FLAGS), texts)
def test_added_tokens_are_user_defined_symbols(
    name: str, symbols: list[str], flags: dict[str, bool], text: str
) -> None:
    symbols = [symbol for symbol in symbols if " " not in symbol]
    assume(is_cut_alike(name, symbols, flags))
    tok = added(name, symbols, **flags)
    theirs = live.processor(models.with_symbols(models.trained(name), symbols))
    ids = tok.encode_ids(text)
    assert ids == theirs.encode(text)
    assert tok.decode(ids, skip_special_tokens=False) == theirs.decode(ids)
    assert {number: token.content for number, token in tok.added_tokens.items()}.items() >= {
        (theirs.piece_to_id(symbol), symbol) for symbol in symbols
    }


@given(names, symbols, st.sampled_from(FLAGS), texts)
def test_saved_files_encode_alike(
    name: str, symbols: list[str], flags: dict[str, bool], text: str
) -> None:
    symbols = [symbol for symbol in symbols if " " not in symbol]
    assume(symbols and is_cut_alike(name, symbols, flags))
    tok = added(name, symbols, **flags)
    again = saved(tok, "tok.model")
    assert again.encode(text).offsets == tok.encode(text).offsets
    assert again.encode_ids(text) == tok.encode_ids(text)
    own = saved(tok, "tokenizer.json")
    assert own.encode(text, specials="text") == tok.encode(text, specials="text")
    assert own == tok._with_controls(())
    if not flags.get("special") and not {*tok.model.vocab} & {*symbols}:
        assert again.added_tokens == tok.added_tokens


def test_a_byte_that_is_special_is_unknown_in_text() -> None:
    tok = pw.Tokenizer.from_bytes(models.trained("bpe, bytes"))
    marked = tok.with_added_tokens([pw.AddedToken("<0x41>", special=True)])
    generic = marked.replace(pre_tokenizer=pw.pre_tokenizers.Split("\0", "isolated"))
    assert generic.generic_path_reason
    for text in ("A\u0300", "AA\u0300A", "ABA", "\u0300A"):
        assert marked.encode_ids(text, specials="text") == generic.encode_ids(text, specials="text")


@given(names, symbols, texts, st.sampled_from(["lstrip", "rstrip", "single_word"]), st.booleans())
def test_flags_take_the_spaces_of_a_text(
    name: str, symbols: list[str], text: str, flag: str, special: bool
) -> None:
    tok = added(name, symbols, **{flag: True}, special=special)
    encoding = tok.encode(text)
    for span, token in zip(encoding.offsets, encoding.tokens, strict=True):
        if (
            flag != "single_word"
            and token in symbols
            and tok.token_to_id(token) in tok.added_tokens
        ):
            neighbour = (
                text[span[0] - 1 : span[0]] if flag == "lstrip" else text[span[1] : span[1] + 1]
            )
            assert not neighbour.isspace(), (text, span)

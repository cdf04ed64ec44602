"""Added tokens of SentencePiece tokenizers: user-defined symbols, and the files that hold them."""

import json
import warnings
from pathlib import Path

import pytest

import piecework as pw
import sentencepiece_symbols as models
from piecework import hf

METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}


def llama(*tokens: str | pw.AddedToken) -> pw.Tokenizer:
    """Returns a tokenizer like Llama 2's, with added tokens."""
    return pw.Tokenizer.from_bytes(models.trained("bpe, bytes")).with_added_tokens(tokens)


@pytest.mark.parametrize("flags", [{}, {"normalized": False}, {"special": True}])
@pytest.mark.parametrize("name", models.SETTINGS)
def test_tokens_are_found_by_their_names(name: str, flags: dict[str, bool]) -> None:
    tok = pw.Tokenizer.from_bytes(models.trained(name))
    tok = tok.with_added_tokens([pw.AddedToken("<P>", **flags), pw.AddedToken("\n\n", **flags)])
    for text in ("<P>", "x<P>y", "a <P> b\n\n<P>", "a\n\n\nb"):
        encoding = tok.encode(text)
        for token in ("<P>", "\n\n"):
            assert encoding.tokens.count(token) == text.count(token), (text, encoding.tokens)
        if name == "bpe, bytes":
            assert tok.decode(encoding.ids, skip_special_tokens=False) == text
    assert {"<P>", "\n\n"} <= {token.content for token in tok.added_tokens.values()}


def test_lstrip_takes_the_space_and_none_is_put_behind() -> None:
    tok = llama(pw.AddedToken("<mask>", lstrip=True, special=True))
    encoding = tok.encode("the <mask> the")
    assert encoding.ids[-2] == tok.token_to_id("<mask>")
    assert encoding.tokens[-2:] == ["▁<mask>", "▁the"]
    assert encoding.offsets[-2:] == [(3, 10), (10, 14)]


def test_a_token_with_a_space_is_found_but_no_piece(tmp_path: Path) -> None:
    tok = llama("b c")
    assert tok.token_to_id("b c") in tok.encode_ids("ab ca")
    with pytest.raises(pw.errors.ConfigError, match="other than the user-defined symbols"):
        tok.save(tmp_path / "tok.model")


def test_lint_names_a_symbol_that_no_text_can_match() -> None:
    tok = pw.Tokenizer.from_bytes(models.with_symbols(models.trained("bpe, bytes"), ["b c", "<P>"]))
    found = [
        finding for finding in pw.lint(tok).findings if finding.rule == "unmatched-added-token"
    ]
    assert [str(finding) for finding in found] == [
        "'b c' (300): its own text is encoded to other tokens"
    ]


def test_a_tokenizer_json_has_the_components_of_transformers(tmp_path: Path) -> None:
    tok = llama("<P>", "\n\n")
    with pytest.warns(pw.errors.PieceworkWarning) as caught:
        tok.save(tmp_path / "tokenizer.json")
    assert (
        sum(
            "put no ▁ before a text that begins with an added token" in str(w.message)
            for w in caught
        )
        == 1
    )
    tree = json.loads((tmp_path / "tokenizer.json").read_text("utf-8"))
    assert (tree["normalizer"], tree["pre_tokenizer"]) == (None, METASPACE)
    assert tree["model"]["piecework"]["normalizer"]["user_defined_symbols"] == ["<P>", "\n\n"]
    read = pw.Tokenizer.from_file(tmp_path / "tokenizer.json")
    assert read == tok._with_controls(())
    assert read.tokenize("<P>") == ["▁", "<P>"]
    assert hf.Tokenizer.from_file(str(tmp_path / "tokenizer.json")).encode("<P>").tokens == ["<P>"]


def test_the_record_is_ignored_beside_other_members() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = json.loads(llama("<P>").to_str())
    for edit in (
        {"pre_tokenizer": METASPACE | {"prepend_scheme": "never"}},
        {"normalizer": {"type": "NFC"}},
    ):
        with pytest.warns(pw.errors.PieceworkWarning, match="model.piecework.normalizer"):
            edited = pw.Tokenizer.from_str(json.dumps(tree | edit))
        assert edited.tokenize("<P>") == ["<P>"]


def test_a_special_symbol_is_plain_in_a_model(tmp_path: Path) -> None:
    tok = llama(pw.AddedToken("<P>", special=True))
    with pytest.warns(pw.errors.PieceworkWarning) as caught:
        tok.save(tmp_path / "tok.model")
    assert [str(w.message).split(":")[0] for w in caught] == [
        "a SentencePiece model finds control symbols in no text, so '<P>' become user-defined symbols"
    ]
    read = pw.Tokenizer.from_file(tmp_path / "tok.model")
    assert read.encode_ids("a<P> b") == tok.encode_ids("a<P> b")
    assert (read.special_tokens, read.decode(read.encode_ids("a<P>"))) == (
        {"<s>": 1, "</s>": 2},
        "a<P>",
    )

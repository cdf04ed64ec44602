"""The limit of retries of regular expressions in a text: `replace(regex_retries=...)`."""

import copy
import pickle
from typing import Any

import pytest

import piecework as pw
from piecework import decoders, normalizers, pre_tokenizers

DIVISIONS = r"(?:a|aa)+(?=b)"
"""An expression that tries all ways to divide a run of `a`; its look-ahead keeps it in Oniguruma."""
TEXT = "a" * 24 + "cb"
WORDS = "[UNK]\na\nb\nc\n##a\n##b\n##c\n"


def split_by(pattern: str) -> pw.Tokenizer:
    """Returns a tokenizer with a split pattern."""
    split = pre_tokenizers.Split(pw.Regex(pattern), "isolated")
    return pw.Tokenizer.from_str(WORDS).replace(normalizer=None, pre_tokenizer=split)


@pytest.mark.parametrize(
    "stage",
    [
        {"pre_tokenizer": pre_tokenizers.Split(pw.Regex(DIVISIONS), "isolated")},
        {
            "pre_tokenizer": pre_tokenizers.Sequence(
                [
                    pre_tokenizers.Digits(),
                    pre_tokenizers.Split(pw.Regex(DIVISIONS), "isolated"),
                ]
            )
        },
        {"normalizer": normalizers.Replace(pw.Regex(DIVISIONS), "x")},
    ],
)
def test_a_text_that_takes_more_is_an_error(stage: dict[str, Any]) -> None:
    """The error names the expression, the place and the setting."""
    tok = pw.Tokenizer.from_str(WORDS).replace(normalizer=None, pre_tokenizer=None).replace(**stage)
    tok.encode(TEXT)
    bounded = tok.replace(regex_retries=10_000)
    with pytest.raises(
        pw.errors.RegexError,
        match=r"gave up after 10000 retries near byte 0; raise `regex_retries`",
    ):
        bounded.encode(TEXT)
    assert bounded.encode("aab").ids == tok.encode("aab").ids


def test_a_decoder_is_bounded_too() -> None:
    """A decoder's expression has the same limit."""
    tok = pw.Tokenizer.from_str(WORDS).replace(
        decoder=decoders.Sequence([decoders.Fuse(), decoders.Replace(pw.Regex(DIVISIONS), "x")])
    )
    ids = [1] * 24 + [3, 2]
    assert tok.decode(ids) == TEXT
    with pytest.raises(pw.errors.RegexError, match="regex_retries"):
        tok.replace(regex_retries=10_000).decode(ids)


def test_derived_tokenizers_keep_the_limit() -> None:
    """The limit stays with other parts, with more tokens, in views and in pickles, and None removes it."""
    tok = split_by(DIVISIONS).replace(regex_retries=10_000)
    derived = [
        tok.replace(truncation=None),
        tok.with_added_tokens(["<x>"]),
        tok.untrusted(),
        pickle.loads(pickle.dumps(tok)),
        pickle.loads(pickle.dumps(tok.untrusted())),
        copy.deepcopy(tok),
        tok.replace(pre_tokenizer=tok.pre_tokenizer),
    ]
    for each in derived:
        assert each.regex_retries == 10_000
        with pytest.raises(pw.errors.RegexError, match="regex_retries"):
            each.encode(TEXT)
    assert tok.replace(regex_retries=None).regex_retries is None
    assert pw.Tokenizer.from_str(tok.to_str()).regex_retries is None


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "10"])
def test_wrong_limits_are_errors(wrong: Any) -> None:
    """A limit is a positive integer or None."""
    with pytest.raises(pw.errors.ConfigError, match="regex_retries"):
        split_by("a").replace(regex_retries=wrong)


def test_automata_need_no_retries() -> None:
    """An expression without look-around takes time linear in the text, whatever it repeats."""
    tok = split_by(r"(?:a+)+$").replace(regex_retries=1)
    assert tok.split_backends == ("automaton",)
    assert tok.encode("a" * 30_000 + "c").ids
    assert split_by(DIVISIONS).split_backends == ("Oniguruma",)


def test_long_user_words_are_errors() -> None:
    """No text needs words of more than 256 characters, which each look-up would read."""
    user_word = "中" * 300
    with pytest.raises(pw.errors.ConfigError, match="has 300 characters; the limit is 256"):
        pw.Tokenizer.from_str(WORDS).replace(
            normalizer=None, pre_tokenizer=pre_tokenizers.Jieba(user_words=[user_word])
        )

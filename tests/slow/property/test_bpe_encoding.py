"""BPE encoding: the core gives the reference's tokens for any vocabulary, merges and text."""

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from hypothesis.strategies import DrawFn, composite

import piecework as pw
from piecework.reference.model import bpe
from profiles import examples
from reference_models import ReferenceTokenizer

LETTERS = "abcé中/#"
AFFIXES = st.sampled_from(["", "", "", "#", "##"]), st.sampled_from(["", "", "", "/", "</w>"])
SPLITS = (None, {"type": "WhitespaceSplit"}, {"type": "Whitespace"})
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
texts = st.text(LETTERS + "x ", max_size=40) | st.text("ab", max_size=80) | st.text(max_size=8)


@composite
def models(draw: DrawFn) -> dict[str, Any]:
    """Draws a BPE model with a list of merges, as a tokenizer.json has it."""
    prefix, suffix = (draw(affix) for affix in AFFIXES)
    forms = {f for c in LETTERS for f in (c, prefix + c, c + suffix, prefix + c + suffix)}
    separate = bool(suffix) and draw(st.booleans())
    forms |= {prefix + suffix} if separate else set()
    entries = sorted(forms - draw(st.sets(st.sampled_from(sorted(forms)), max_size=6)))
    unknown = draw(st.sampled_from([None, "<unk>", "a", "absent"]))
    entries += ["<unk>"] if unknown == "<unk>" else []
    byte_fallback = draw(st.booleans())
    entries += [f"<0x{byte:02X}>" for byte in {*"é中x#/".encode()} if byte_fallback]
    merges = []
    for _ in range(draw(st.integers(0, 14))):
        left, right = (draw(st.sampled_from(entries)) for _ in range(2))
        if right.startswith(prefix):
            merges.append([left, right])
            entries.append(left + right.removeprefix(prefix))
    entries += draw(st.lists(st.text("abc", min_size=2, max_size=4), max_size=2))
    plain = [entry for entry in entries if "<0x" not in entry and entry != unknown]
    unused = draw(st.lists(st.sampled_from(plain), max_size=6)) if plain and not prefix else []
    style = "separate" if separate else None
    own = {"version": 1, "ranks": None, "suffix_style": style, "unused": unused, "training": None}
    is_own = separate or unused
    return ({"type": "piecework.BPE", "piecework": own} if is_own else {"type": "BPE"}) | {
        "dropout": None,
        "unk_token": unknown,
        "continuing_subword_prefix": prefix or None,
        "end_of_word_suffix": suffix or None,
        "fuse_unk": draw(st.booleans()),
        "byte_fallback": byte_fallback,
        "ignore_merges": draw(st.booleans()),
        "vocab": {entry: i for i, entry in enumerate(dict.fromkeys(entries))},
        "merges": draw(st.permutations(merges)),
    }


@composite
def ranked_models(draw: DrawFn, letters: str) -> dict[str, Any]:
    """Draws a BPE model whose merges follow from ranks; some ranks are equal, some are missing."""
    longer = draw(st.lists(st.text(letters, min_size=2, max_size=6), max_size=16, unique=True))
    highest = len(longer) if draw(st.booleans()) else 3
    ranks = [draw(st.none() | st.integers(0, highest)) for _ in longer]
    entries = dict.fromkeys([*letters, *longer])
    return {
        "type": "piecework.BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": draw(st.booleans()),
        "vocab": {entry: i for i, entry in enumerate(entries)},
        "merges": [],
        "piecework": {
            "version": 1,
            "ranks": [None] * len(letters) + ranks,
            "unused": draw(st.lists(st.sampled_from([*entries]), max_size=5)),
            "training": None,
        },
    }


def config_of(model: dict[str, Any], split: dict[str, Any] | None) -> dict[str, Any]:
    members = ("normalizer", "post_processor", "decoder", "truncation", "padding")
    empty = {"version": "1.0", "added_tokens": [], **dict.fromkeys(members)}
    return {**empty, "pre_tokenizer": split, "model": model}


def check_core_equals_reference(config: dict[str, Any], texts: list[str]) -> None:
    core, reference = pw.Tokenizer.from_str(json.dumps(config)), ReferenceTokenizer(config)
    for text in texts:
        try:
            wanted = reference.encode(text)
        except ValueError:
            with pytest.raises(ValueError):  # noqa: PT011  # each implementation has its own message
                core.encode(text)
            continue
        found = core.encode(text)
        for name in ("ids", "tokens", "offsets", "word_ids"):
            assert getattr(found, name) == getattr(wanted, name), (name, text)
        assert core.encode_ids(text) == wanted.ids, text


@given(models(), st.sampled_from(SPLITS), st.lists(texts, min_size=1, max_size=6))
@examples(200)
def test_listed_merges_encode_as_reference(
    model: dict[str, Any], split: Any, texts: list[str]
) -> None:
    check_core_equals_reference(config_of(model, split), texts)


@given(ranked_models("ab") | ranked_models("abc"), st.lists(texts, min_size=1, max_size=6))
@examples(200)
def test_ranked_merges_encode_as_reference(model: dict[str, Any], texts: list[str]) -> None:
    check_core_equals_reference(config_of(model, None), texts)


def test_offsets_after_unused_entry_without_tokens() -> None:
    """A former bug: the suffix counted as a byte of the word, so the last token ended one too late."""
    vocab = {token: number for number, token in enumerate(["/", "a", "a/", "b", "b/"])}
    own = {"version": 1, "ranks": None, "suffix_style": None, "unused": ["a"], "training": None}
    model = {
        "type": "piecework.BPE",
        "piecework": own,
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": "/",
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": vocab,
        "merges": [],
    }
    for pre_tokenizer in (None, BYTE_LEVEL):
        check_core_equals_reference(config_of(model, pre_tokenizer), ["aa", "baa", "aaa", "aba"])


@given(models(), st.booleans(), st.lists(texts, min_size=1, max_size=6))
@examples(300)
def test_byte_level_bpe_encodes_as_reference(
    model: dict[str, Any], pattern: bool, texts: list[str]
) -> None:
    check_core_equals_reference(config_of(model, BYTE_LEVEL | {"use_regex": pattern}), texts)


@given(
    models(),
    st.floats(0, 1, width=32) | st.sampled_from([0.1, 0.5]),
    st.integers(0, 2**64 - 1),
    st.lists(texts, min_size=1, max_size=6),
)
@examples(200)
def test_dropout_equals_reference_for_same_seed(
    model: dict[str, Any], chance: float, seed: int, texts: list[str]
) -> None:
    config = config_of(model | {"dropout": chance}, {"type": "WhitespaceSplit"})
    core, reference = pw.Tokenizer.from_str(json.dumps(config)), ReferenceTokenizer(config)
    try:
        wanted = [encoding.ids for encoding in reference.encode_batch(texts, seed=seed)]
    except ValueError:
        return  # an unknown character without an unknown token; other tests cover the error
    for threads in (1, 3):
        found = core.encode_batch(texts, sampling=pw.Sampling(seed=seed), threads=threads)
        assert found.to_list() == wanted


words = st.text("ab", min_size=1, max_size=14) | st.text("abc", min_size=1, max_size=14)


@given(
    st.permutations(["ab", "ba", "aa", "bab", "aab", "abab", "bb", "ca", "abc"]), st.lists(words)
)
@examples(200)
def test_recovered_merges_merge_as_their_ranks(order: list[str], words: list[str]) -> None:
    ranks = {entry: rank for rank, entry in enumerate(order[: len(order) - len(words) % 5])}
    listed, implied = bpe.ListedMerges(bpe.infer_merges(ranks)), bpe.ImpliedMerges(ranks)
    for word in words:
        parts = [bpe.WordSymbol(character, 1) for character in word]
        assert bpe.merge_symbols(parts, listed) == bpe.merge_symbols(parts, implied)

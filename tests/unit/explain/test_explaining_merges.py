"""Explanations of BPE: the merges in order, what they block, and what no merge joins."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import Any

import pytest

import piecework as pw
from piecework import decoders, models, pre_tokenizers
from piecework.reference.model.bpe import BpeEncoder, BpeSettings, ImpliedMerges, ListedMerges
from piecework.tokenizer._explain.explanation import Explanation, Word
from piecework.tokenizer._explain.steps import BpeSteps

pytestmark = pytest.mark.smoke

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def steps_of(word: Word) -> BpeSteps:
    assert isinstance(word.steps, BpeSteps)
    return word.steps


def byte_level(**settings: Any) -> pw.Tokenizer:
    vocab = ["Ġ", "a", "ð", "Ł", "ĺ", "Ģ", "Ã", "©", "Ċ", "Ġa", "Ã©", "ðŁ"]
    merges = [("Ġ", "a"), ("Ã", "©"), ("ð", "Ł")]
    return pw.Tokenizer(
        models.BPE(vocab, merges, **settings),
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoder=decoders.ByteLevel(),
    )


def test_merges_of_a_training_as_bpe() -> None:
    trainer = pw.WordPieceTrainer(40, ties="first", criterion="frequency", max_merges=6)
    explained = pw.train(WORDS, trainer).as_bpe().explain("hugs mug")
    assert str(explained).splitlines() == [
        "hugs mug -> hugs [UNK] ##ug",
        "  hugs (0-4) -> hugs",
        "    symbols: h ##u ##g ##s",
        "    ##u + ##g = ##ug (merge 1): h ##ug ##s",
        "    h + ##ug = hug (merge 3): hug ##s",
        "    hug + ##s = hugs (merge 6): hugs",
        "    hugs (id 17, 0-4)",
        "  mug (5-8) -> [UNK] ##ug",
        "    symbols: [UNK] ##u ##g",
        "    ##u + ##g = ##ug (merge 1): [UNK] ##ug",
        "    no merge joins [UNK] + ##ug",
        "    [UNK] (id 1, 5-6): no token starts with m",
        "    ##ug (id 12, 6-8)",
    ]
    hugs = explained.pieces[0].lineage
    assert hugs is not None
    assert list(hugs.merges()) == []  # no figures without a history
    assert [merge["token"] for merge in hugs.to_dicts()] == ["##ug", "hug", "hugs"]


def test_a_merge_blocks_those_of_its_neighbours() -> None:
    merges = [("u", "g"), ("h", "u"), ("g", "s"), ("h", "ug")]
    tok = pw.Tokenizer(models.BPE(["h", "u", "g", "s", "ug", "hu", "gs", "hug", "hugs"], merges))
    explained = tok.explain("hugs")
    steps = steps_of(explained.words[0])
    first, second = steps.merges
    assert [merge.merged.token for merge in first.blocked] == ["hu", "gs"]
    assert [merge.rank for merge in first.blocked] == [1, 2]
    assert (first.index, first.merge.rank, second.index, second.merge.rank) == (1, 0, 0, 3)
    (pair,) = steps.unmerged
    assert (pair.left.token, pair.right.token, pair.token) == ("hug", "s", "hugs")
    assert str(explained).splitlines()[1:5] == [
        "  symbols: h u g s",
        "  u + g = ug (merge 1): h ug s; blocks h + u (merge 2), g + s (merge 3)",
        "  h + ug = hug (merge 4): hug s",
        "  no merge joins hug + s (other pairs make hugs)",
    ]
    saved = json.loads(json.dumps(explained.to_dict()))["words"][0]["steps"]
    assert saved["type"] == "BPE"
    assert [symbol["token"] for symbol in saved["symbols"]] == ["h", "u", "g", "s"]
    assert [merge["rank"] for merge in saved["merges"]] == [0, 3]
    assert [merge["merged"]["token"] for merge in saved["merges"][0]["blocked"]] == ["hu", "gs"]
    assert saved["unmerged"][0]["token"] == "hugs"


def test_bytes_of_characters() -> None:
    explained = byte_level().explain(" aé😀\n")
    assert str(explained).splitlines() == [
        " aé😀\\n -> ' a' é <0xF0><0x9F> <0x98> <0x80> \\n",
        "  ' aé' (0-3) -> ' a' é",
        "    symbols: ' ' a <0xC3> <0xA9>",
        "    ' ' + a = ' a' (merge 1): ' a' <0xC3> <0xA9>",
        "    <0xC3> + <0xA9> = é (merge 2): ' a' é",
        "    no merge joins ' a' + é",
        "    ' a' (id 9, 0-2)",
        "    é (id 10, 2-3)",
        "  😀 (3-4) -> <0xF0><0x9F> <0x98> <0x80>",
        "    symbols: <0xF0> <0x9F> <0x98> <0x80>",
        "    <0xF0> + <0x9F> = <0xF0><0x9F> (merge 3): <0xF0><0x9F> <0x98> <0x80>",
        "    no merge joins <0xF0><0x9F> + <0x98>, <0x98> + <0x80>",
        "    <0xF0><0x9F> (id 11, 3-4, bytes F0 9F, U+1F600)",
        "    <0x98> (id 4, 3-4, bytes 98, U+1F600): a character of the alphabet",
        "    <0x80> (id 5, 3-4, bytes 80, U+1F600): a character of the alphabet",
        "  \\n (4-5) -> \\n",
        "    \\n (id 8, 4-5, bytes 0A, U+000A): a character of the alphabet",
    ]
    tokens = [(piece.token, piece.display_token) for piece in explained.pieces[:2]]
    assert tokens == [("Ġa", " a"), ("Ã©", "é")]
    assert [(word.text, word.display_text) for word in explained.words[:2]] == [
        ("ĠaÃ©", " aé"),
        ("ðŁĺĢ", "😀"),
    ]


VARIANTS: list[tuple[dict[str, Any], str, list[str]]] = [
    (
        {"merges": [("l", "o"), ("lo", "w</w>")], "end_of_word_suffix": "</w>"},
        "low",
        [
            "low -> low</w>",
            "  symbols: l o w</w>",
            "  l + o = lo (merge 1): lo w</w>",
            "  lo + w</w> = low</w> (merge 2): low</w>",
            "  low</w> (id 6, 0-3)",
        ],
    ),
    (
        {"ranks": [None, None, None, None, 0, 1, 2]},
        "low",
        [
            "low -> low",
            "  symbols: l o w",
            "  l + o = lo (merge 1): lo w",
            "  lo + w = low (merge 2): low",
            "  low (id 5, 0-3)",
        ],
    ),
    (
        {
            "merges": [("o", "w"), ("ow", "</w>"), ("l", "ow</w>")],
            "end_of_word_suffix": "</w>",
            "suffix_style": "separate",
        },
        "low",
        [
            "low -> low</w>",
            "  symbols: l o w </w>",
            "  o + w = ow (merge 1): l ow </w>",
            "  ow + </w> = ow</w> (merge 2): l ow</w>",
            "  l + ow</w> = low</w> (merge 3): low</w>",
            "  low</w> (id 6, 0-3)",
        ],
    ),
    (
        {"ignore_merges": True},
        "low",
        [
            "low -> low",
            "  the whole word is a token, so nothing is merged (ignore_merges)",
            "  low (id 5, 0-3): a word of the vocabulary",
        ],
    ),
    (
        {"byte_fallback": True},
        "é",
        [
            "é -> <0xC3> <0xA9>",
            "  symbols: <0xC3> <0xA9>",
            "  no merge joins <0xC3> + <0xA9>",
            *(
                f"  <0x{x}> (id {number}, 0-1, bytes {x}, U+00E9): "
                "a byte of a character that is not in the vocabulary"
                for x, number in [("C3", 202), ("A9", 176)]
            ),
        ],
    ),
    (
        {"merges": [("l", "o"), ("lo", "w")], "unused": ["low"]},
        "low",
        [
            "low -> lo w",
            "  symbols: l o w",
            "  l + o = lo (merge 1): lo w",
            "  lo + w = low (merge 2): low",
            "  low is no token: lo w",
            "  lo (id 4, 0-2)",
            "  w (id 2, 2-3): a character of the alphabet",
        ],
    ),
]


@pytest.mark.parametrize(("settings", "word", "lines"), VARIANTS)
def test_variants_of_merging(settings: dict[str, Any], word: str, lines: list[str]) -> None:
    vocab = ["l", "o", "w", "w</w>", "lo", "low", "low</w>"]
    if "suffix_style" in settings:
        vocab += ["</w>", "ow", "ow</w>"]
    if settings.get("byte_fallback"):
        vocab += [f"<0x{byte:02X}>" for byte in range(256)]
    assert str(pw.Tokenizer(models.BPE(vocab, **settings)).explain(word)).splitlines() == lines


# Against a naive loop and the reference


def random_model(rng: random.Random, *, by_ranks: bool) -> tuple[list[str], dict[str, Any]]:
    vocab, merges = dict.fromkeys("abc"), list[tuple[str, str]]()
    for _ in range(rng.randrange(14)):
        left, right = rng.choices(list(vocab), k=2)
        if not by_ranks or left + right not in vocab:
            vocab[left + right] = None
            merges.append((left, right))
    ranks = [None] * 3 + rng.sample(range(99), len(vocab) - 3)
    return list(vocab), {"ranks": ranks} if by_ranks else {"merges": merges}


def naive_merges(
    word: str, rank_of: dict[tuple[str, str], int]
) -> list[tuple[int, int, str, list[int]]]:
    """Merges the leftmost pair of the lowest rank: index, rank, merged symbol, ranks that are blocked."""
    symbols, found = list(word), list[tuple[int, int, str, list[int]]]()
    while True:
        ranks = [rank_of.get(pair) for pair in pairwise(symbols)]
        known = [rank for rank in ranks if rank is not None]
        if not known:
            return found
        index = ranks.index(min(known))
        around = [ranks[i] for i in (index - 1, index + 1) if 0 <= i < len(ranks)]
        merged = symbols[index] + symbols[index + 1]
        found.append((index, min(known), merged, [rank for rank in around if rank is not None]))
        symbols[index : index + 2] = [merged]


@pytest.mark.parametrize("by_ranks", [False, True])
def test_merges_equal_those_of_a_naive_loop(by_ranks: bool) -> None:
    rng, merged = random.Random(9), 0
    for _ in range(60):
        vocab, how = random_model(rng, by_ranks=by_ranks)
        tok = pw.Tokenizer(models.BPE(vocab, **how))
        pairs = [(a, b) for a in vocab for b in vocab if a + b in vocab]
        rank_of = (
            {pair: how["ranks"][vocab.index("".join(pair))] for pair in pairs}
            if by_ranks
            else {pair: rank for rank, pair in enumerate(how["merges"])}
        )
        rank_of = {pair: rank for pair, rank in rank_of.items() if rank is not None}
        for size in (1, 2, 5, 12, 40):
            word = "".join(rng.choices("abc", k=size))
            (explained,) = tok.explain(word).words
            steps = steps_of(explained)
            *_, last = steps.states()
            assert [symbol.id for symbol in last] == tok.encode_ids(word)
            if not by_ranks or len(set(how["ranks"])) == len(how["ranks"]) - 2:
                blocked = [sorted(m.rank for m in step.blocked) for step in steps.merges]
                found = [(s.index, s.merge.rank, s.merge.merged.token) for s in steps.merges]
                naive = naive_merges(word, rank_of)
                if not by_ranks:  # ranks imply more pairs than the table of merges needs
                    assert blocked == [sorted(ranks) for *_, ranks in naive]
                assert found == [(index, rank, token) for index, rank, token, _ in naive], word
            merged += len(steps.merges)
    assert merged > 500


@pytest.mark.parametrize("by_ranks", [False, True])
def test_merges_end_like_the_reference(by_ranks: bool) -> None:
    rng = random.Random(4)
    for _ in range(40):
        vocab, how = random_model(rng, by_ranks=by_ranks)
        ranked = dict(zip(vocab, how.get("ranks", []), strict=False))
        merges = (
            ImpliedMerges({t: r for t, r in ranked.items() if r is not None})
            if by_ranks
            else ListedMerges(how["merges"])
        )
        settings = BpeSettings(unk_token="?")
        encode = BpeEncoder([*vocab, "?"], merges, settings)
        tok = pw.Tokenizer(models.BPE([*vocab, "?"], **_with_unknown(how), unk_token="?"))
        for _ in range(8):
            word = "".join(rng.choices("abcx", k=rng.randrange(1, 25)))
            (explained,) = tok.explain(word).words
            *_, last = steps_of(explained).states()
            expected = [piece.entry for piece in encode(word)]
            assert [symbol.token for symbol in last] == expected
            assert [piece.token for piece in explained.pieces] == expected
            spans = [(piece.start, piece.end) for piece in encode(word)]
            assert [piece.span for piece in explained.pieces] == spans


def _with_unknown(how: dict[str, Any]) -> dict[str, Any]:
    return {"ranks": [*how["ranks"], None]} if "ranks" in how else how


@pytest.mark.parametrize("by_ranks", [False, True])
def test_lineages_are_the_merges_of_the_token_alone(by_ranks: bool) -> None:
    rng = random.Random(9)
    for _ in range(30):
        vocab, how = random_model(rng, by_ranks=by_ranks)
        tok = pw.Tokenizer(models.BPE(vocab, **how))
        for entry in vocab:
            made = tok.lineage(entry)
            is_made = tok.tokenize(entry) == [entry] and len(entry) > 1
            assert (made.step is not None) == is_made, (how, entry)
            parts = [node for _, *node in made.nodes()]
            assert all(each.token == left.token + right.token for each, left, right in parts)
            if is_made:
                steps = steps_of(tok.explain(entry).words[0])
                numbers = sorted(step.merge.rank + 1 for step in steps.merges)
                assert sorted(step for step, *_ in made.nodes()) == numbers


def test_explanation_of_a_trained_bpe() -> None:
    trainer = pw.BpeTrainer(vocab_size=99, max_merges=4, end_of_word_suffix="</w>")
    tok = pw.train({"low": 5, "lower": 2, "newest": 6, "widest": 3}, trainer)
    assert repr(tok) == "Tokenizer(BPE, 16 tokens, None, WhitespaceSplit(), 4 merges)"
    assert str(tok.explain("newest")).splitlines()[1:5] == [
        "  symbols: n e w e s t</w>",
        "  e + s = es (merge 1): n e w es t</w>",
        "  es + t</w> = est</w> (merge 2): n e w est</w>",
        "  e + w = ew (merge 4): n ew est</w>",
    ]
    (*_, est) = tok.explain("newest").pieces
    assert est.lineage is not None
    assert [merge.pair_count for _, merge in est.lineage.merges()] == [9, 9]


def test_dropout_is_not_applied() -> None:
    model = models.BPE(["a", "b", "ab"], [("a", "b")], dropout=0.9)
    explained = [pw.Tokenizer(model).explain("abab") for _ in range(20)]
    assert {tuple(each.ids) for each in explained} == {(2, 2)}
    assert all(isinstance(each, Explanation) for each in explained)

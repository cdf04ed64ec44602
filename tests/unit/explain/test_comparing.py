"""Trained vocabularies under longest match and merges, comparisons, explanations of merges."""

import copy
import json
import pickle
import random
from typing import Any

import pytest

import piecework as pw
from piecework import decoders, models, normalizers, pre_tokenizers
from piecework.explain import Comparison, Lineage

pytestmark = pytest.mark.smoke

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
NOTE = ["b", "h", "p", "##g", "##n", "##s", "##u", "##gs", "hu", "hug", "[UNK]"]
NOTE_MERGES = [("##g", "##s"), ("h", "##u"), ("hu", "##g")]


def trained(words: dict[str, int] = WORDS, **settings: Any) -> pw.Tokenizer:
    return pw.train(words, pw.WordPieceTrainer(**{"vocab_size": 40, "ties": "first"} | settings))


# The words of docs/notes.md


@pytest.mark.parametrize(
    ("word", "longest", "merged"),
    [
        ("hugs", ["hug", "##s"], ["hu", "##gs"]),
        ("bugs", ["b", "##u", "##gs"], ["b", "##u", "##gs"]),
        ("pugs", ["p", "##u", "##gs"], ["p", "##u", "##gs"]),
        ("mug", ["[UNK]"], ["[UNK]", "##u", "##g"]),
        ("bum", ["[UNK]"], ["b", "##u", "[UNK]"]),
    ],
)
def test_one_vocabulary_under_both_algorithms(
    word: str, longest: list[str], merged: list[str]
) -> None:
    bpe = models.BPE(NOTE, NOTE_MERGES, unk_token="[UNK]", continuing_subword_prefix="##")
    assert pw.Tokenizer(models.WordPiece(NOTE)).tokenize(word) == longest
    assert pw.Tokenizer(bpe).tokenize(word) == merged


def test_as_bpe_uses_the_history_as_merges() -> None:
    tok = trained(criterion="pmi", max_merges=2)
    assert [merge.token for merge in tok.history] == ["##gs", "hu"]
    bpe = tok.as_bpe()
    assert bpe.model == models.BPE(
        tok.vocab,
        [("##g", "##s"), ("h", "##u")],
        unk_token="[UNK]",
        continuing_subword_prefix="##",
    )
    assert bpe.tokenize("hugs") == ["hu", "##gs"]
    assert (bpe.vocab, bpe.normalizer, bpe.decoder) == (tok.vocab, tok.normalizer, tok.decoder)
    assert (bpe.encode("hug").tokens[0], bpe.training.token_counts, bpe.history) == (
        "[CLS]",
        None,
        (),
    )
    assert pw.Tokenizer.from_str(bpe.to_str()) == bpe


def test_as_bpe_without_history_raises() -> None:
    for tok in (pw.Tokenizer(models.WordPiece(NOTE)), pw.Tokenizer(models.WordLevel(NOTE, "h"))):
        with pytest.raises(pw.errors.ConfigError, match=r"no history of merges|has another model"):
            tok.as_bpe()
    with pytest.raises(pw.errors.ConfigError, match="only a WordPiece"):
        trained().as_bpe().as_bpe()
    rng = random.Random(1)
    words = {
        "".join(rng.choices("abc", k=rng.randrange(3, 9))): rng.randrange(1, 9) for _ in range(99)
    }
    pruned = trained(words, criterion="frequency", prune_unused=True, vocab_size=60)
    with pytest.raises(
        pw.errors.ConfigError, match="no longer in the vocabulary; train with `prune_"
    ):
        pruned.as_bpe()


# Explanations


def test_explanation_of_merges() -> None:
    explained = trained(criterion="frequency", max_merges=6).as_bpe().explain("hugs mug")
    assert str(explained) == (
        "hugs mug -> hugs [UNK] ##ug\n"
        "  hugs:\n"
        "    hugs = hug + ##s (merge 6)\n"
        "      hug = h + ##ug (merge 3)\n"
        "        ##ug = ##u + ##g (merge 1)\n"
        "  [UNK]: no token starts with m\n"
        "  ##ug:\n"
        "    ##ug = ##u + ##g (merge 1)"
    )
    hugs = explained.pieces[0].lineage
    assert isinstance(hugs, Lineage)
    assert list(hugs.merges()) == []  # no figures without a history
    assert [merge["token"] for merge in hugs.to_dicts()] == ["##ug", "hug", "hugs"]


def byte_level(**settings: Any) -> pw.Tokenizer:
    vocab = ["Ġ", "a", "ð", "Ł", "ĺ", "Ģ", "Ã", "©", "Ċ", "Ġa", "Ã©", "ðŁ"]
    merges = [("Ġ", "a"), ("Ã", "©"), ("ð", "Ł")]
    return pw.Tokenizer(
        models.BPE(vocab, merges, **settings),
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoder=decoders.ByteLevel(),
    )


def test_explanation_of_bytes() -> None:
    explained = byte_level().explain(" aé😀\n")
    assert str(explained).splitlines() == [
        " aé😀\\n -> ' a' é <0xF0><0x9F> <0x98> <0x80> \\n",
        "  ' a':",
        "    ' a' = ' ' + a (merge 1)",
        "  é:",
        "    é = <0xC3> + <0xA9> (merge 2)",
        "  <0xF0><0x9F>:",
        "    <0xF0><0x9F> = <0xF0> + <0x9F> (merge 3)",
        "  <0x98>: a character of the alphabet",
        "  <0x80>: a character of the alphabet",
        "  \\n: a character of the alphabet",
    ]
    assert [(piece.token, piece.display_token) for piece in explained.pieces[:2]] == [
        ("Ġa", " a"),
        ("Ã©", "é"),
    ]


@pytest.mark.parametrize(
    ("settings", "word", "lines"),
    [
        (
            {"merges": [("l", "o"), ("lo", "w</w>")], "end_of_word_suffix": "</w>"},
            "low",
            [
                "low -> low</w>",
                "  low</w>:",
                "    low</w> = lo + w</w> (merge 2)",
                "      lo = l + o (merge 1)",
            ],
        ),
        (
            {"ranks": [None, None, None, None, 0, 1, 2]},
            "low",
            ["low -> low", "  low:", "    low = lo + w (merge 2)", "      lo = l + o (merge 1)"],
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
                "  low</w>:",
                "    low</w> = l + ow</w> (merge 3)",
                "      ow</w> = ow + </w> (merge 2)",
                "        ow = o + w (merge 1)",
            ],
        ),
        ({"ignore_merges": True}, "low", ["low -> low", "  low: a word of the vocabulary"]),
        (
            {"byte_fallback": True},
            "é",
            ["é -> <0xC3> <0xA9>"]
            + [
                f"  <0x{x}>: a byte of a character that is not in the vocabulary"
                for x in ("C3", "A9")
            ],
        ),
    ],
)
def test_explanation_of_merge_variants(
    settings: dict[str, Any], word: str, lines: list[str]
) -> None:
    vocab = ["l", "o", "w", "w</w>", "lo", "low", "low</w>"]
    if "suffix_style" in settings:
        vocab += ["</w>", "ow", "ow</w>"]
    if settings.get("byte_fallback"):
        vocab += [f"<0x{byte:02X}>" for byte in range(256)]
    assert str(pw.Tokenizer(models.BPE(vocab, **settings)).explain(word)).splitlines() == lines


@pytest.mark.parametrize("by_ranks", [False, True])
def test_explained_merges_equal_those_of_the_core(by_ranks: bool) -> None:
    rng = random.Random(9)
    for _ in range(30):
        vocab, merges = dict.fromkeys("abc"), list[tuple[str, str]]()
        for _ in range(rng.randrange(12)):
            left, right = rng.choices(list(vocab), k=2)
            if not by_ranks or left + right not in vocab:
                vocab[left + right] = None
                merges.append((left, right))
        ranks = [None] * 3 + rng.sample(range(99), len(vocab) - 3)
        how: dict[str, Any] = {"ranks": ranks} if by_ranks else {"merges": merges}
        tok = pw.Tokenizer(models.BPE(list(vocab), **how))
        for entry in vocab:
            made, *_ = [piece.lineage for piece in tok.explain(entry).pieces]
            if tok.tokenize(entry) == [entry] and len(entry) > 1:
                assert made is not None
                parts = [node for _, *node in made.nodes()]
                assert all(each.token == left.token + right.token for each, left, right in parts)
            alone = tok._merging.steps(entry) if tok._merging else []
            assert bool(alone) == (tok.tokenize(entry) == [entry] and len(entry) > 1), (how, entry)


def test_trained_bpe_repr_and_explanation() -> None:
    trainer = pw.BpeTrainer(vocab_size=99, max_merges=4, end_of_word_suffix="</w>")
    tok = pw.train({"low": 5, "lower": 2, "newest": 6, "widest": 3}, trainer)
    assert repr(tok) == "Tokenizer(BPE, 16 tokens, None, WhitespaceSplit(), 4 merges)"
    assert str(tok.explain("newest")).splitlines()[4:] == [
        "  est</w>:",
        "    est</w> = es + t</w> (merge 2)",
        "      es = e + s (merge 1)",
    ]
    (*_, est) = tok.explain("newest").pieces
    assert est.lineage is not None
    assert [merge.pair_count for _, merge in est.lineage.merges()] == [9, 9]


# Comparison


def test_compare_several_tokenizers() -> None:
    tok = trained(criterion="pmi", max_merges=4)
    level = pw.Tokenizer(
        models.WordLevel(["[UNK]", "hugs"], unk_token="[UNK]"),
        pre_tokenizer=pre_tokenizers.Whitespace(),
        normalizer=normalizers.Lowercase(),
    )
    compared = pw.compare("Hugs mug", {"longest": tok, "merged": tok.as_bpe(), "words": level})
    assert isinstance(compared, Comparison)
    assert str(compared) == (
        "longest  2  hugs [UNK]\nmerged   4  hugs [UNK] ##u ##g\nwords    2  hugs [UNK]"
    )
    merged = compared.splits[1]
    assert (merged.name, merged.model, len(merged)) == ("merged", "BPE", 4)
    assert merged.offsets == ((0, 4), (5, 6), (6, 7), (7, 8))
    assert list(merged.ids) == tok.as_bpe().encode_ids("Hugs mug", add_special_tokens=False)
    assert repr(compared) == "<Comparison: 'Hugs mug': longest 2, merged 4, words 2>"
    assert pickle.loads(pickle.dumps(compared)) == copy.deepcopy(compared) == compared


def test_comparison_as_json_and_html() -> None:
    compared = pw.compare(" a<", {"bytes": byte_level(unk_token="a")})
    assert json.loads(json.dumps(compared.to_dict())) == {
        "text": " a<",
        "splits": [
            {
                "name": "bytes",
                "model": "BPE",
                "count": 2,
                "tokens": ["Ġa", "a"],
                "display_tokens": [" a", "a"],
                "ids": [9, 1],
                "offsets": [[0, 2], [2, 3]],
            }
        ],
    }
    assert str(compared) == "bytes  2  ' a' a"
    html = compared._repr_html_()
    assert html.startswith("<table><caption> a&lt;</caption>")
    assert '<code title="9"> a</code> <code title="1">a</code>' in html


def test_compare_errors() -> None:
    strict = pw.Tokenizer(models.WordPiece(["a"], unk_token=None))
    assert pw.compare("a", {}).splits == ()
    assert str(pw.compare("a", {})) == ""
    with pytest.raises(pw.errors.UnknownTokenError, match=r"^strict: no pieces of the vocabulary"):
        pw.compare("b", {"strict": strict})
    with pytest.raises(pw.errors.SurrogateError):
        pw.compare("\ud800", {"strict": strict})
    with pytest.raises(TypeError, match="must be a mapping of names to tokenizers, not list"):
        pw.compare("a", [strict])  # type: ignore[arg-type]


def test_compare_ignores_truncation_and_padding() -> None:
    tok = trained().replace(truncation=1, padding=None)
    assert len(pw.compare("hug pun bun", {"tok": tok}).splits[0]) == 3

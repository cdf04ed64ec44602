"""Trained vocabularies under longest match and merges, and comparisons of tokenizers."""

import copy
import json
import pickle
import random
from typing import Any

import pytest

import piecework as pw
from piecework import decoders, models, normalizers, pre_tokenizers
from piecework.analysis import Comparison

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


# Comparison


def byte_level(**settings: Any) -> pw.Tokenizer:
    vocab = ["Ġ", "a", "ð", "Ł", "ĺ", "Ģ", "Ã", "©", "Ċ", "Ġa", "Ã©", "ðŁ"]
    merges = [("Ġ", "a"), ("Ã", "©"), ("ð", "Ł")]
    return pw.Tokenizer(
        models.BPE(vocab, merges, **settings),
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoder=decoders.ByteLevel(),
    )


def test_compare_several_tokenizers() -> None:
    tok = trained(criterion="pmi", max_merges=4)
    level = pw.Tokenizer(
        models.WordLevel(["[UNK]", "hugs"], unk_token="[UNK]"),
        pre_tokenizer=pre_tokenizers.Whitespace(),
        normalizer=normalizers.Lowercase(),
    )
    compared = pw.compare({"longest": tok, "merged": tok.as_bpe(), "words": level}, "Hugs mug")
    assert isinstance(compared, Comparison)
    assert str(compared) == (
        "longest  2  hugs [UNK]\nmerged   4  hugs [UNK] ##u ##g\nwords    2  hugs [UNK]\n"
        "                 ^^^^^^^^^^^^^"
    )
    merged = compared.splits[1]
    assert (merged.name, merged.model, len(merged)) == ("merged", "BPE", 4)
    assert merged.offsets == ((0, 4), (5, 6), (6, 7), (7, 8))
    assert list(merged.ids) == tok.as_bpe().encode_ids("Hugs mug", add_special_tokens=False)
    assert repr(compared) == "Comparison('Hugs mug': longest 2, merged 4, words 2)"
    assert pickle.loads(pickle.dumps(compared)) == copy.deepcopy(compared) == compared


def test_comparison_as_json_and_html() -> None:
    compared = pw.compare({"bytes": byte_level(unk_token="a")}, " a<")
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
        "blocks": [
            {"start": 0, "end": 2, "tokens": [[" a"]], "ids": [[9]], "agrees": True},
            {"start": 2, "end": 3, "tokens": [["a"]], "ids": [[1]], "agrees": True},
        ],
    }
    assert str(compared) == "bytes  2  ' a' a"
    html = compared._repr_html_()
    assert html.startswith('<div class="piecework"')
    assert "<script" not in html
    assert '<td>bytes</td><td>2</td><td><span class="pw-t"' in html
    assert 'title="id 9"><span class="pw-sp">\u2423</span>a</span></td><td>' in html
    assert "<td><mark>" not in html
    marked = pw.compare({"longest": trained(), "bytes": byte_level()}, "hugs")._repr_html_()
    assert "<td><mark><span" in marked


def test_html_of_a_long_text_is_bounded() -> None:
    two = {"longest": trained(), "bytes": byte_level()}
    html = pw.compare(two, "hug! " * 20_000 + "hugs" * 20_000)._repr_html_()
    assert len(html) < 200_000
    assert "more blocks</span>" in html
    assert "and 19,500 more tokens</span>" in pw.compare(two, "a" * 20_000)._repr_html_()


def test_unknown_tokens_have_their_name() -> None:
    pieces = [("<unk>", 0.0), ("a", -1.0)]
    tok = pw.Tokenizer(models.Unigram(pieces, unk_id=0))
    assert tok.encode("ab").tokens == ["a", "b"]
    split = pw.compare({"tok": tok}, "ab").splits[0]
    assert (split.tokens, split.display_tokens, split.ids) == (("a", "<unk>"),) * 2 + ((1, 0),)


def test_compare_errors() -> None:
    strict = pw.Tokenizer(models.WordPiece(["a"], unk_token=None))
    with pytest.raises(pw.errors.ConfigError, match="expected at least one tokenizer"):
        pw.compare({}, "a")
    with pytest.raises(pw.errors.UnknownTokenError, match=r"^strict: no pieces of the vocabulary"):
        pw.compare({"strict": strict}, "b")
    with pytest.raises(pw.errors.SurrogateError):
        pw.compare({"strict": strict}, "\ud800")
    assert [split.name for split in pw.compare([strict, strict], "a").splits] == ["1", "2"]
    with pytest.raises(TypeError, match=r"tokenizers: expected a piecework\.Tokenizer"):
        pw.compare("a.json", "a")  # type: ignore[arg-type]


def test_compare_ignores_truncation_and_padding() -> None:
    tok = trained().replace(truncation=1, padding=None)
    assert len(pw.compare({"tok": tok}, "hug pun bun").splits[0]) == 3

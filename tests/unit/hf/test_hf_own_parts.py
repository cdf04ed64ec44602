"""`piecework.hf` with normalizers, pre-tokenizers, decoders and models that only piecework has: they pass through."""

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import class_folders
import piecework as pw
from piecework import decoders, hf, models, normalizers, pre_tokenizers

TOKENS = ["[UNK]", "a", "b", "##a", "##b", "ab", "▁", "▁a", "▁b"]
STAGES = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
TEXTS = ("ab a b abab", "aab ab", "杭研大厦 云计算 abab", "", "Hello ａｂ  [UNK]")


def piece(**parts: Any) -> pw.Tokenizer:
    return pw.Tokenizer(models.WordPiece(TOKENS), **parts)


def unigram() -> models.Unigram:
    pieces = [("<unk>", 0.0), ("a", -1.0), ("b", -1.0), ("ab", -1.5)]
    return models.Unigram(pieces, 0, precision="float32", user_defined=["ab"], reserved=["b"])


RULES = normalizers.SentencePiece.of("nmt_nfkc")
WORDS = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Dictionary(["ab", "a b"], True)]
SEPARATE = models.BPE(
    ["a", "b", "</w>", "ab", "b</w>"],
    [("b", "</w>"), ("a", "b")],
    end_of_word_suffix="</w>",
    suffix_style="separate",
)
TOKENIZERS = {
    "normalizer": piece(normalizer=RULES),
    "normalizer in a sequence": piece(
        normalizer=normalizers.Sequence([normalizers.Lowercase(), RULES])
    ),
    "dictionary": piece(pre_tokenizer=WORDS[1]),
    "dictionary in a sequence": piece(pre_tokenizer=pre_tokenizers.Sequence(WORDS)),
    "jieba": piece(pre_tokenizer=pre_tokenizers.Jieba(user_words=["杭研大厦", ("云计算", 5)])),
    "decoder": piece(decoder=decoders.SentencePiece(unk_token="[UNK]")),
    "decoder in a sequence": piece(
        decoder=decoders.Sequence([decoders.Fuse(), decoders.SentencePiece()])
    ),
    "bpe with decoder": pw.Tokenizer(
        models.BPE(["<unk>", "a", "b", "▁a"], unk_token="<unk>"), decoder=decoders.SentencePiece()
    ),
    "unknown": pw.Tokenizer(models.WordPiece(TOKENS, unknown="run")),
    "no unknown": pw.Tokenizer(models.WordPiece(TOKENS[1:], unk_token=None)),
    "no unknown, but its name": pw.Tokenizer(models.WordPiece(TOKENS, unk_token=None)),
    "likeliest": pw.Tokenizer(
        models.WordPiece(TOKENS, segmentation="likeliest", probabilities={"a": 0.5, "##b": 0.2})
    ),
    "probabilities": pw.Tokenizer(models.WordPiece(TOKENS, probabilities={"a": 0.5})),
    "ranks": pw.Tokenizer(models.BPE(["a", "b", "ab", "ba", "aba"], ranks=[None, None, 0, 0, 1])),
    "separate suffix": pw.Tokenizer(SEPARATE),
    "unused": pw.Tokenizer(models.BPE(["a", "b", "ab"], [("a", "b")], unused=["ab"])),
    "unigram": pw.Tokenizer(unigram()),
}

each = pytest.mark.parametrize("name", TOKENIZERS)


def encoded(tokenizer: Any) -> list[Any]:
    """Returns the ids of all texts, or the errors."""
    found: list[Any] = []
    for text in TEXTS:
        try:
            found.append(list(tokenizer.encode(text).ids))
        except pw.errors.PieceworkError as error:
            found.append(type(error))
    return found


def decoded(tokenizer: Any) -> str:
    return str(tokenizer.decode([1, 2, 0, 1], skip_special_tokens=False))


@each
def test_files_and_results_stay(name: str, tmp_path: Path) -> None:
    own = TOKENIZERS[name]
    text = own.to_str()
    tok = hf.Tokenizer.from_str(text)
    assert encoded(tok) == encoded(own)
    assert decoded(tok) == decoded(own)
    saved = tok.to_str()
    assert pw.Tokenizer.from_str(saved).to_str() == text
    tok.save(str(tmp_path / "tokenizer.json"))
    for again in (
        hf.Tokenizer.from_file(str(tmp_path / "tokenizer.json")),
        hf.Tokenizer.from_buffer(saved.encode()),
        pickle.loads(pickle.dumps(tok)),
        copy.copy(tok),
        copy.deepcopy(tok),
    ):
        assert again.to_str() == saved
        assert (repr(again), str(again)) == (repr(tok), str(tok))
        assert encoded(again) == encoded(own)
        assert decoded(again) == decoded(own)


@each
def test_parts_move_to_other_tokenizers(name: str) -> None:
    tok = hf.Tokenizer.from_str(TOKENIZERS[name].to_str())
    other = hf.Tokenizer(tok.model)
    for stage in STAGES:
        setattr(other, stage, getattr(tok, stage))
    assert other.to_str() == tok.to_str()
    assert encoded(other) == encoded(tok)
    for part in (tok.model, *(getattr(tok, stage) for stage in STAGES)):
        for again in (pickle.loads(pickle.dumps(part)), copy.copy(part), copy.deepcopy(part)):
            assert (type(again), repr(again)) == (type(part), repr(part))
            assert part is None or again.__getstate__() == part.__getstate__()


def test_repr_names_the_type_and_cuts_long_settings() -> None:
    words = [f"word {number}" for number in range(9)]
    tok = hf.Tokenizer.from_str(TOKENIZERS["normalizer"].to_str())
    assert repr(tok.normalizer).startswith("piecework.SentencePiece(precompiled_charsmap=")
    assert len(repr(tok)) < 1500
    tok = hf.Tokenizer.from_str(piece(pre_tokenizer=pre_tokenizers.Dictionary(words)).to_str())
    assert repr(tok.pre_tokenizer) == (
        'piecework.Dictionary(phrases=["word 0", "word 1", "word 2", "word 3", "word 4", ...], '
        "single_word=False)"
    )
    likeliest = hf.Tokenizer.from_str(TOKENIZERS["likeliest"].to_str())
    assert '"segmentation":"likeliest"' in repr(likeliest.model)


def test_parts_work_alone() -> None:
    tok = hf.Tokenizer.from_str(piece(normalizer=RULES, decoder=decoders.SentencePiece()).to_str())
    tok.pre_tokenizer = WORDS[1]
    assert tok.normalizer.normalize_str("ａ  b") == "▁a▁b"
    assert tok.pre_tokenizer.pre_tokenize_str("a b-ab") == [
        ("a b", (0, 3)),
        ("-", (3, 4)),
        ("ab", (4, 6)),
    ]
    assert tok.decoder.decode(["▁a", "▁b"]) == "a b"


def test_components_of_piecework_are_accepted() -> None:
    tok = hf.Tokenizer(models.WordPiece(TOKENS))  # type: ignore[arg-type]  # converted
    tok.normalizer = RULES
    tok.pre_tokenizer = hf.pre_tokenizers.Sequence([pre_tokenizers.Jieba()])  # type: ignore[list-item]  # converted
    tok.decoder = decoders.SentencePiece()
    native = piece(
        normalizer=RULES,
        pre_tokenizer=pre_tokenizers.Sequence([pre_tokenizers.Jieba()]),
        decoder=decoders.SentencePiece(),
    )
    assert pw.Tokenizer.from_str(tok.to_str()).to_str() == native.to_str()
    with pytest.raises(TypeError, match="not an instance of 'Decoder'"):
        tok.decoder = RULES
    with pytest.raises(TypeError, match="calls a Python function"):
        tok.pre_tokenizer = pre_tokenizers.Function(str.split)


def test_the_decoder_in_the_file_is_one_that_tokenizers_reads() -> None:
    peers = pytest.importorskip("tokenizers")
    tok = hf.Tokenizer.from_str(TOKENIZERS["bpe with decoder"].to_str())
    assert json.loads(tok.to_str())["decoder"]["type"] == "Sequence"
    assert peers.Tokenizer.from_str(tok.to_str()).decode([3, 2]) == tok.decode([3, 2]) == "ab"
    tok.decoder = hf.decoders.Fuse()
    assert "SentencePiece" not in tok.to_str()


def test_a_setting_of_an_own_model_can_be_set() -> None:
    tok = hf.Tokenizer.from_str(TOKENIZERS["no unknown, but its name"].to_str())
    with pytest.raises(pw.errors.PieceworkError):
        tok.encode("x")
    tok.model.unk_token = "b"
    assert tok.encode("x").ids == [2]
    tok = hf.Tokenizer.from_str(TOKENIZERS["unused"].to_str())
    tok.model.dropout = 0.5
    assert json.loads(tok.to_str())["model"]["piecework"]["unused"] == ["ab"]


def test_ranks_are_not_saved_as_merges(tmp_path: Path) -> None:
    model = hf.Tokenizer.from_str(TOKENIZERS["ranks"].to_str()).model
    assert "ranks" in repr(model)
    with pytest.raises(pw.errors.UnsupportedError, match="ranks in place of merges"):
        model.save(str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_training_by_transformers() -> None:
    transformers = class_folders.transformers()
    tok = hf.Tokenizer.from_str(TOKENIZERS["bpe with decoder"].to_str())
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tok, unk_token="<unk>")
    assert fast.decode([3, 2]) == "ab"
    trained = fast.train_new_from_iterator(["▁ab▁ab ▁ab"] * 5, vocab_size=12)
    assert "ab" in trained.get_vocab()


def test_training_of_a_tokenizer_with_own_parts() -> None:
    tok = hf.Tokenizer.from_str(
        piece(normalizer=RULES, pre_tokenizer=pre_tokenizers.Jieba()).to_str()
    )
    trainer = hf.trainers.WordPieceTrainer(vocab_size=20, show_progress=False)
    tok.train_from_iterator(["to be or not to be"] * 9, trainer)
    assert tok.encode("to be").tokens == ["▁", "to", "▁", "be"]
    assert json.loads(tok.to_str())["pre_tokenizer"]["type"] == "piecework.Jieba"

"""Public names, their signatures and results."""

import copy
import dataclasses
import inspect
import json
import math
import operator
import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import piecework as pw
import piecework.tokenizer._lm

pytestmark = pytest.mark.smoke

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
TEXTS = ["Hugs, pun!", "", "bun", "pug [MASK] hugs hug"]


@pytest.fixture(scope="module")
def tok() -> pw.Tokenizer:
    return pw.train(WORDS, pw.WordPieceTrainer(vocab_size=20))


# Names and signatures

COUNTING = "normalizer=DEFAULT, pre_tokenizer=DEFAULT, threads=None, progress=False"
TABLE = "like=None, " + COUNTING.replace("threads", "added_tokens=(), threads")
MEMORY = "max_memory=None, work_dir=None"
PARTS = "engine=None, part_bytes=None"
SIGNATURES: dict[str, str] = {
    "Corpus": "(paths, *, format=None, field=None, per='line', encoding='utf-8', errors='strict', "
    "on_error='raise', keep_line_ends=None)",
    "train": f"(texts, trainer=None, *, like=None, vocab_size=None, {COUNTING}, {MEMORY}, {PARTS})",
    "count_words": "(texts, **settings)",
    "trace": f"(texts, trainer, *, top=10, words=100, {COUNTING})",
    "trace_criteria": "(texts, trainer, *, criteria=('likelihood', 'pmi', 'sum', 'frequency'), "
    f"top=10, words=100, {COUNTING})",
    "training.example": "(name)",
    "training.MergeTrace.words": "(self, step)",
    "training.MergeTrace.symbols": "(self, step)",
    "training.MergeTrace.to_text": "(self, steps=slice(None, None, None))",
    "training.MergeTrace.save": "(self, path)",
    "compare": "(tokenizers, text, *, span=None)",
    "evaluate": "(tokenizers, texts, *, by=None, parallel=False, reference=None, disagreements=None, "
    "specials=None, renyi_power=2.5, part_bytes=None, threads=None, engine=None, progress=False)",
    "diff": "(old, new, texts=None, *, examples=10, threads=None, engine=None, progress=False)",
    "lint": "(tokenizer, *, select=None, ignore=())",
    "WordPieceTrainer": "(vocab_size, *, criterion='likelihood', min_frequency=1, "
    "min_word_frequency=1, max_merges=None, stop_at_pair_frequency=None, stop_without_gain=False, "
    "ties='lex', special_tokens=('[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'), "
    "special_tokens_first=True, user_defined_symbols=(), initial_alphabet=(), limit_alphabet=None, "
    "continuing_subword_prefix='##', max_token_length=None, prune_unused=False)",
    "BpeTrainer": "(vocab_size=None, *, max_merges=None, min_frequency=1, min_word_frequency=1, "
    "stop_at_pair_frequency=None, ties='lex', special_tokens=(), special_tokens_first=True, "
    "unk_token=DEFAULT, user_defined_symbols=(), alphabet='char', initial_alphabet=(), limit_alphabet=None, "
    "continuing_subword_prefix='', end_of_word_suffix='', suffix_style='attached', "
    "max_token_length=None)",
    "WordCounts": "(words)",
    "WordCounts.from_texts": f"(texts, *, {TABLE}, first_document=0, {MEMORY}, {PARTS})",
    "WordCounts.count_to_file": "(texts, path, **settings)",
    "WordCounts.load": "(path)",
    "WordCounts.load_files": "(paths, *, work_dir=None)",
    "WordCounts.merge_files": "(paths, out, *, work_dir=None)",
    "WordCounts.save": "(self, path)",
    "WordCounts.merge": "(self, other)",
    "Tokenizer.from_file": "(path, *, build_tables=True, limits=None, **settings)",
    "Tokenizer.from_str": "(text, *, build_tables=True, limits=None, **settings)",
    "Tokenizer.from_bytes": "(data, *, build_tables=True, limits=None, **settings)",
    "Tokenizer.save": "(self, path, format=None, *, base=None, approximate=False)",
    "Tokenizer.to_str": "(self)",
    "Tokenizer": "(model, *, normalizer=None, pre_tokenizer=None, post_processor=None, "
    "decoder=None, added_tokens=(), truncation=None, padding=None)",
    "Tokenizer.from_folder": "(path, *, build_tables=True, limits=None, **settings)",
    "Tokenizer.replace": "(self, **changes)",
    "Tokenizer.with_added_tokens": "(self, tokens, *, special=False)",
    "Tokenizer.encode": "(self, text, pair=None, **options)",
    "Tokenizer.encode_ids": "(self, text, pair=None, *, as_array=False, **options)",
    "Tokenizer.encode_batch": "(self, texts, *, offsets=False, threads=None, **options)",
    "Tokenizer.encode_segments": "(self, segments, **options)",
    "Tokenizer.chat": "(self, messages, tools=None, *, add_generation_prompt=False, continue_final_message=False, "
    "documents=None, template=None, max_tokens=None, trusted=False, **variables)",
    "Tokenizer.tokenize": "(self, text, *, specials=None)",
    "Tokenizer.decode": "(self, ids, *, skip_special_tokens=True)",
    "Tokenizer.decode_batch": "(self, batch, *, skip_special_tokens=True)",
    "Tokenizer.count": "(self, text_or_texts, **options)",
    "tokenizer._lm.LanguageModel.nbest": "(self, text, n, *, add_special_tokens=True, specials=None)",
    "tokenizer._lm.LanguageModel.sample": "(self, text, n=1, *, alpha=1.0, nbest_size=None, seed=None, "
    "add_special_tokens=True, specials=None)",
    "tokenizer._lm.LanguageModel.score": "(self, tokens)",
    "tokenizer._lm.LanguageModel.marginal_log_likelihood": "(self, text, *, specials=None)",
    "tokenizer._lm.LanguageModel.log_likelihood": "(self, text, *, specials=None)",
    "Tokenizer.explain": "(self, text, *, specials=None, max_characters=10000, nbest=5, span=None)",
    "Tokenizer.lineage": "(self, token)",
    "Tokenizer.token_to_id": "(self, token)",
    "Tokenizer.id_to_token": "(self, id)",
    "normalizers.BertNormalizer": "(clean_text=True, handle_chinese_chars=True, "
    "strip_accents=None, lowercase=True)",
    "normalizers.Strip": "(left=True, right=True)",
    "normalizers.Replace": "(pattern, content)",
    "normalizers.Prepend": "(prepend='▁')",
    "normalizers.Precompiled": "(precompiled_charsmap)",
    "normalizers.Sequence": "(normalizers)",
    "normalizers.Normalizer.from_dict": "(data)",
    "normalizers.Normalizer.normalize_str": "(self, text)",
    "pre_tokenizers.PreTokenizer.from_dict": "(data, functions=())",
    "pre_tokenizers.PreTokenizer.pre_tokenize_str": "(self, text)",
    "pre_tokenizers.Punctuation": "(behavior='isolated')",
    "pre_tokenizers.Digits": "(individual_digits=False)",
    "pre_tokenizers.CharDelimiterSplit": "(delimiter)",
    "pre_tokenizers.Split": "(pattern, behavior, invert=False)",
    "pre_tokenizers.ByteLevel": "(add_prefix_space=True, trim_offsets=True, use_regex=True)",
    "pre_tokenizers.Metaspace": "(replacement='▁', prepend_scheme='always', split=True)",
    "pre_tokenizers.FixedLength": "(length=5)",
    "pre_tokenizers.Sequence": "(pre_tokenizers)",
    "pre_tokenizers.Dictionary": "(phrases, single_word=False)",
    "pre_tokenizers.Jieba": "(hmm=True, user_words=())",
    "pre_tokenizers.Jieba.from_user_dictionary": "(path, *, hmm=True, encoding='utf-8')",
    "pre_tokenizers.Function": "(function)",
    "processors.BertProcessing": "(sep, cls)",
    "processors.RobertaProcessing": "(sep, cls, trim_offsets=True, add_prefix_space=True)",
    "processors.TemplateProcessing": "(single=None, pair=None, special_tokens=())",
    "processors.ByteLevel": "(add_prefix_space=True, trim_offsets=True, use_regex=True)",
    "processors.Sequence": "(processors)",
    "processors.PostProcessor.num_special_tokens_to_add": "(self, is_pair)",
    "models.WordPiece": "(vocab, unk_token='[UNK]', max_input_chars_per_word=100, "
    "continuing_subword_prefix='##', unknown='word', *, segmentation='longest', dropout=None, "
    "probabilities=None)",
    "models.WordLevel": "(vocab, unk_token='<unk>')",
    "Regex": "(pattern)",
    "AddedToken": "(content, single_word=False, lstrip=False, rstrip=False, normalized=None, "
    "special=False)",
    "Truncation": "(max_length, stride=0, strategy='longest_first', direction='right')",
    "Padding": "(length=None, pad_to_multiple_of=None, direction='right', pad_id=None, "
    "pad_type_id=0, pad_token=None)",
    "Sampling": "(alpha=None, nbest_size=None, dropout=None, seed=None)",
    "pre_tokenizers.BertPreTokenizer": "()",
    "pre_tokenizers.WhitespaceSplit": "()",
    "decoders.BPEDecoder": "(suffix='</w>')",
    "decoders.ByteFallback": "()",
    "decoders.ByteLevel": "(add_prefix_space=True, trim_offsets=True, use_regex=True)",
    "decoders.CTC": "(pad_token='<pad>', word_delimiter_token='|', cleanup=True)",
    "decoders.Fuse": "()",
    "decoders.Metaspace": "(replacement='▁', prepend_scheme='always', split=True)",
    "decoders.Replace": "(pattern, content)",
    "decoders.Sequence": "(decoders)",
    "decoders.Strip": "(content=' ', left=0, right=0)",
    "decoders.WordPiece": "(prefix='##', cleanup=True)",
    "decoders.Decoder.decode": "(self, tokens)",
    "decoders.Decoder.from_dict": "(data)",
    "EncodedBatch.to_list": "(self)",
    "EncodedBatch.to_numpy": "(self)",
    "EncodedBatch.padded": "(self, *, pad_id=None, length=None, side=None, type_ids=False)",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(name: str) -> None:
    found: Any = pw
    for part in name.split("."):
        found = getattr(found, part)
    signature = inspect.signature(found)
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    plain = signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    assert str(plain) == SIGNATURES[name]
    assert inspect.getdoc(found)


def test_options_of_encoding() -> None:
    names = "add_special_tokens cache is_pretokenized padding sampling specials truncation"
    assert sorted(pw.tokenizer.EncodeOptions.__optional_keys__) == names.split()


def test_all_public_names_exist() -> None:
    assert set(pw.__all__) <= set(dir(pw))
    for name in pw.__all__:
        assert getattr(pw, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        pw.no_such_name  # noqa: B018


# Training


def test_texts_counts_and_words_train_alike() -> None:
    trainer = pw.WordPieceTrainer(vocab_size=20)
    texts = [" ".join([word] * count) for word, count in WORDS.items()]
    made = [
        pw.train(texts, trainer),
        pw.train(iter(texts), trainer),
        pw.train(WORDS, trainer),
        pw.train(pw.WordCounts(WORDS), trainer),
        pw.train(pw.WordCounts.from_texts(texts), trainer),
    ]
    assert all(other == made[0] for other in made)


def test_defaults_are_those_of_bert(tok: pw.Tokenizer) -> None:
    assert tok.normalizer == pw.normalizers.BertNormalizer(lowercase=True)
    assert tok.pre_tokenizer == pw.pre_tokenizers.BertPreTokenizer()
    assert (tok.unknown, tok.unk_token, tok.max_input_chars_per_word) == ("word", "[UNK]", 100)
    assert tok.continuing_subword_prefix == "##"


def test_unmatchable_symbols_raise_a_warning() -> None:
    symbols = ["Hug", "##ing", "new york", "自然", "hugs"]
    with pytest.warns(UserWarning, match=r"\['Hug', 'new york', '自然'\]"):
        pw.train(["hug"], pw.WordPieceTrainer(60, user_defined_symbols=symbols))
    padding = pw.normalizers.BertNormalizer(handle_chinese_chars=False, lowercase=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trainer = pw.WordPieceTrainer(60, user_defined_symbols=["自然", "Hug", "##", "##ing"])
        pw.train(
            ["自然 Hug"],
            trainer,
            normalizer=padding,
            pre_tokenizer=pw.pre_tokenizers.WhitespaceSplit(),
        )


def test_words_that_the_pipeline_would_change_raise_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"\['Hug', 'é'\]"):
        pw.train({"Hug": 3, "é": 1, "pun": 2}, pw.WordPieceTrainer(vocab_size=20))


def test_progress_is_reported() -> None:
    seen: list[pw.Progress] = []
    texts = ["the cat sat on the mat"] * 20_000
    pw.train(texts, pw.WordPieceTrainer(vocab_size=40), progress=seen.append)
    assert seen
    assert {type(p) for p in seen} == {pw.Progress}
    assert all(isinstance(p.stage, str) and p.done >= 0 and p.total >= 0 for p in seen)


def test_error_in_progress_callback_ends_the_call() -> None:
    def fail(progress: pw.Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        pw.train(["a"] * 10_000, pw.WordPieceTrainer(vocab_size=40), progress=fail)


def test_progress_of_files_is_reported(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "text"
    path.write_text("the cat sat on the mat\n" * 10, encoding="utf-8")
    pw.train(pw.Corpus(path), pw.WordPieceTrainer(vocab_size=40), progress=True)
    assert capfd.readouterr() == ("", ""), "a bar is for terminals"


# History


def test_history_lists_merges(tok: pw.Tokenizer) -> None:
    first = tok.history[0]
    assert (first.left, first.right, first.token) == ("##u", "##g", "##ug")
    assert round(first.score, 4) == 28.0178
    assert (first.pair_count, first.left_count, first.right_count, first.ties) == (20, 36, 20, 1)
    assert [merge.token for merge in tok.history][:6] == [
        *("##ug", "##un", "hug", "pun", "pug", "bun")
    ]
    with pytest.raises(AttributeError):
        first.score = 0  # type: ignore[misc]


def test_trainer_and_counts_are_kept(tok: pw.Tokenizer) -> None:
    assert tok.training.trainer is not None
    assert tok.training.trainer["vocab_size"] == 20
    assert tok.training.counts_sha256 == pw.WordCounts(WORDS).fingerprint
    assert tok.training.token_counts is not None
    assert list(tok.training.token_counts) == list(tok.vocab)
    assert {token: n for token, n in tok.training.token_counts.items() if n} == WORDS
    more = tok.with_added_tokens(["<name>"])
    assert more.training.token_counts == tok.training.token_counts


def test_training_is_false_if_it_is_unknown(tok: pw.Tokenizer) -> None:
    unknown = pw.Tokenizer.from_str("[UNK]\nhug\n")
    assert tok.training
    assert not unknown.training
    assert (unknown.training.history, unknown.training.steps) == ((), ())
    assert tok.history is tok.training.history
    assert repr(tok.training) == "TrainingInfo(likelihood, 7 merges)"
    assert repr(unknown.training) == "TrainingInfo(unknown)"


@pytest.mark.parametrize("view", ["training", "lm"])
def test_views_of_a_tokenizer_are_read_only(tok: pw.Tokenizer, view: str) -> None:
    name = "score" if view == "lm" else "history"
    with pytest.raises(AttributeError, match="read-only"):
        setattr(getattr(tok, view), name, ())
    with pytest.raises(AttributeError, match=f"did you mean '{name}'"):
        setattr(getattr(tok, view), name + "s", ())


# Encoding


def test_encoding_columns(tok: pw.Tokenizer) -> None:
    encoding = tok.encode("Hugs, pun!", "bun")
    assert encoding.tokens[0] == "[CLS]"
    assert encoding.ids == [tok.vocab[token] for token in encoding.tokens]
    columns = ("offsets", "word_ids", "type_ids", "attention_mask", "special_tokens_mask")
    assert {len(getattr(encoding, name)) for name in columns} == {len(encoding)}
    assert encoding.offsets[1] == (0, 4)
    assert encoding.word_ids == [None, 0, 1, 2, 3, None, 0, None]
    assert encoding.type_ids == [0] * 6 + [1, 1]
    assert encoding.special_tokens_mask == [1, 0, 0, 0, 0, 1, 0, 1]
    assert encoding.attention_mask == [1] * 8
    assert list(encoding) == encoding.ids
    assert encoding[-1] == encoding.ids[-1]
    with pytest.raises(IndexError):
        encoding[8]
    assert "hugs" in repr(encoding)
    assert encoding == tok.encode("Hugs, pun!", "bun")
    assert encoding != tok.encode("Hugs", "bun")


def test_offsets_count_characters() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\ncafe\n中\na\n")
    encoding = tok.encode("😀 Café 中a")
    assert encoding.offsets == [(0, 1), (2, 6), (7, 8), (8, 9)]
    assert encoding.byte_offsets == [(0, 4), (5, 10), (11, 14), (14, 15)]


def test_batch_columns(tok: pw.Tokenizer) -> None:
    batch = tok.encode_batch(TEXTS)
    assert len(batch) == len(TEXTS)
    assert (batch.ids.dtype, batch.row_offsets.dtype) == (np.uint32, np.int64)
    assert batch.row_offsets[0] == 0
    assert batch.row_offsets[-1] == len(batch.ids)
    assert [e.ids for e in batch] == batch.to_list() == [tok.encode_ids(text) for text in TEXTS]
    assert [row.tolist() for row in batch.to_numpy()] == batch.to_list()
    assert batch[-1] == batch[3] == tok.encode(TEXTS[3])
    assert [e.ids for e in batch[1:3]] == batch.to_list()[1:3]
    assert [e.ids for e in batch[::-2]] == batch.to_list()[::-2]
    for place in (4, -5):
        with pytest.raises(IndexError, match=str(place)):
            batch[place]
    assert not batch.ids.flags.writeable
    assert not batch.row_offsets.flags.writeable
    assert "4 texts" in repr(batch)
    assert tok.decode_batch(batch) == [tok.decode(row) for row in batch.to_list()]


def test_batch_does_not_depend_on_its_input_list(tok: pw.Tokenizer) -> None:
    texts = ["hug", "pun"]
    batch = tok.encode_batch(texts)
    texts[0] = "bun bun bun"
    texts.append("more")
    assert [encoding.ids for encoding in batch] == batch.to_list()
    assert batch[0].ids == batch.to_list()[0]


def test_batch_keeps_its_options(tok: pw.Tokenizer) -> None:
    batch = tok.encode_batch(["[MASK] hug"], add_special_tokens=False, specials="text")
    assert batch[0].ids == batch.to_list()[0]
    assert "[MASK]" not in batch[0].tokens


def test_batch_outlives_its_tokenizer() -> None:
    ids = pw.train(WORDS, pw.WordPieceTrainer(20)).encode_batch(TEXTS * 1000).ids
    assert int(ids.max()) < 20
    assert ids.sum() == ids.copy().sum()


@pytest.mark.parametrize("texts", [[], (), iter([]), [""]])
def test_empty_batch(tok: pw.Tokenizer, texts: Any) -> None:
    batch = tok.encode_batch(texts, add_special_tokens=False)
    assert len(batch.ids) == 0
    assert batch.to_list() == [[]] * len(batch)
    assert len(batch.to_numpy()) == len(batch)
    assert batch.padded().ids.shape == (len(batch), 0)


def test_texts_may_be_any_iterable(tok: pw.Tokenizer) -> None:
    wanted = tok.encode_batch(TEXTS).to_list()
    for texts in (tuple(TEXTS), iter(TEXTS), (t for t in TEXTS), dict.fromkeys(TEXTS)):
        assert tok.encode_batch(texts).to_list() == wanted
    array = np.array(TEXTS)
    assert tok.encode_batch(array).to_list() == wanted


def test_padded_matrices(tok: pw.Tokenizer) -> None:
    batch = tok.encode_batch(["hug", "hug pun bun"], add_special_tokens=False)
    hug, pun, bun, pad = (tok.vocab[token] for token in ("hug", "pun", "bun", "[PAD]"))
    ids, mask, no_types = batch.padded()
    assert no_types is None
    assert ids.tolist() == [[hug, pad, pad], [hug, pun, bun]]
    assert mask.tolist() == [[1, 0, 0], [1, 1, 1]]
    assert ids.dtype == mask.dtype == np.int64
    left = batch.padded(side="left", length=4, pad_id=-100)
    assert left.ids.tolist() == [[-100] * 3 + [hug], [-100, hug, pun, bun]]
    assert left.attention_mask.tolist() == [[0, 0, 0, 1], [0, 1, 1, 1]]
    with pytest.raises(pw.errors.ConfigError, match="3 tokens"):
        batch.padded(length=2)
    with pytest.raises(pw.errors.ConfigError, match="pad_id"):
        pw.Tokenizer.from_str("[UNK]\n").encode_batch(["a", "b c"]).padded()
    with pytest.raises(pw.errors.ConfigError, match='side: expected "left" or "right"'):
        batch.padded(side="both")  # type: ignore[arg-type]


def test_padded_uses_padding_of_the_call_or_tokenizer(tok: pw.Tokenizer) -> None:
    hug, pun, mask = (tok.vocab[token] for token in ("hug", "pun", "[MASK]"))
    padding = pw.Padding(direction="left", pad_token="[MASK]")
    wanted = ([[mask, mask, hug], [mask, hug, pun]], [[0, 0, 1], [0, 1, 1]])
    for batch in (
        tok.encode_batch(["hug", "hug pun"], add_special_tokens=False, padding=padding),
        tok.replace(padding=padding).encode_batch(["hug", "hug pun"], add_special_tokens=False),
        tok.replace(padding=padding).encode_batch(
            ["hug", "hug pun"], add_special_tokens=False, padding=None
        ),
    ):
        padded = batch.padded(length=3)
        assert (padded.ids.tolist(), padded.attention_mask.tolist()) == wanted
        other = batch.padded(length=3, side="right")
        assert other.attention_mask.sum() == 3
        assert other.ids[0, -1] == mask


def test_padded_returns_type_ids(tok: pw.Tokenizer) -> None:
    batch = tok.encode_batch([("hug", "pun"), ("hug", "hug")], padding=pw.Padding(pad_type_id=7))
    types = batch.padded(length=6, type_ids=True).type_ids
    assert types is not None
    assert types.dtype == np.int64
    assert types.tolist() == [[0, 0, 0, 1, 1, 7]] * 2
    assert batch.padded(type_ids=True).type_ids.tolist() == batch.type_ids.reshape(2, 5).tolist()  # type: ignore[union-attr]


def test_batch_copies_pretokenized_words(tok: pw.Tokenizer) -> None:
    words = ["hug", "pun"]
    batch = tok.encode_batch([words, (words, words)], is_pretokenized=True)
    before = batch[0], batch[1]
    words[0] = "bun"
    assert (batch[0], batch[1]) == before
    assert before[0].tokens[1] == "hug"


def test_encodings_compare_by_value(tok: pw.Tokenizer) -> None:
    text = "hug pun bun hugs"
    assert tok.encode(text) == tok.encode(text)
    assert tok.encode(text) != tok.encode(text, add_special_tokens=False)
    assert tok.encode(text, truncation=4) == tok.encode(text, truncation=4)
    # The first part is equal, the overflowing parts are not.
    assert tok.encode(text, truncation=4) != tok.encode(text + " pun", truncation=4)


def test_option_cache_distinguishes_calls(tok: pw.Tokenizer) -> None:
    """Options cached for one call are not used for a similar call."""
    text = "hug pun bun"
    for _ in range(2):
        for length in range(3, 100):
            assert len(tok.encode(text, padding=length).ids) == max(length, 5)
        assert len(tok.encode(text, truncation=3).ids) == 3
        assert len(tok.encode(text).ids) == 5
        assert len(tok.encode(text, add_special_tokens=False).ids) == 3
        with pytest.raises(pw.errors.ConfigError, match="found True"):
            tok.encode(text, truncation=True)
        with pytest.raises(pw.errors.TruncationError):
            tok.encode(text, truncation=1)
        with pytest.raises(pw.errors.ConfigError, match=r"found \[3\]"):
            tok.encode(text, truncation=[3])  # type: ignore[arg-type]


def test_decode(tok: pw.Tokenizer) -> None:
    ids = tok.encode_ids("hug pun")
    assert tok.decode(ids) == "hug pun"
    assert tok.decode(ids, skip_special_tokens=False) == "[CLS] hug pun [SEP]"
    assert tok.decode(np.array(ids)) == tok.decode(tuple(ids)) == tok.decode(iter(ids)) == "hug pun"
    assert tok.decode(tok.encode_batch(["hug pun"]).ids) == "hug pun"
    assert tok.decode([]) == ""
    assert tok.decode_batch([]) == []
    assert tok.decode_batch([ids, []]) == ["hug pun", ""]


def test_count(tok: pw.Tokenizer) -> None:
    assert tok.count("hug pun") == 4
    assert tok.count("hug pun", add_special_tokens=False) == 2
    assert tok.count(iter(TEXTS)) == [len(row) for row in tok.encode_batch(TEXTS).to_list()]


def test_log_likelihood_of_texts(tok: pw.Tokenizer) -> None:
    assert tok.lm.log_likelihood("") == 0
    assert tok.lm.log_likelihood("hug") == pytest.approx(math.log(10 / 36), rel=1e-12)
    assert np.isfinite(tok.lm.log_likelihood("[MASK] ??? zzz hug"))


def test_vocabulary_lookups(tok: pw.Tokenizer) -> None:
    assert tok.vocab_size == len(tok) == len(tok.vocab) <= 20
    assert list(tok.vocab.values()) == sorted(tok.vocab.values())
    for token, i in tok.vocab.items():
        assert (tok.token_to_id(token), tok.id_to_token(i)) == (i, token)
    assert tok.token_to_id("zzz") is None
    assert tok.special_tokens == {t: tok.vocab[t] for t in tok.special_tokens}


# Explanations


def test_explanation_of_a_text(tok: pw.Tokenizer) -> None:
    small = pw.train(WORDS, pw.WordPieceTrainer(vocab_size=18))
    explained = small.explain("hugs")
    assert [piece.token for piece in explained.pieces] == ["hug", "##s"]
    hug, s = explained.pieces
    assert (hug.kind, hug.span, hug.offsets) == ("merged", (0, 3), (0, 3))
    assert hug.lineage is not None
    assert [merge.token for _, merge in hug.lineage.merges()] == ["hug", "##ug"]
    assert (s.kind, s.lineage) == ("alphabet", None)
    assert "hug = h + ##ug (merge 3)" in str(explained)
    kinds = [piece.kind for piece in tok.explain("hug zzz [MASK]").pieces]
    assert kinds == ["merged", "unknown", "special"]
    assert tok.explain("").pieces == ()


def test_explanation_of_a_user_defined_symbol() -> None:
    tok = pw.train(WORDS, pw.WordPieceTrainer(20, user_defined_symbols=["pu", "h"]))
    explained = pw.Tokenizer.from_str(tok.to_str()).explain("pus")
    assert [(piece.token, piece.kind) for piece in explained.pieces[:1]] == [("pu", "symbol")]
    assert explained.pieces[0].lineage is None
    assert "a user-defined symbol" in str(explained)
    assert tok.explain("hs").pieces[0].kind == "symbol"


def test_explanation_without_history() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")
    explained = tok.explain("hugs")
    assert [piece.kind for piece in explained.pieces] == ["vocabulary", "vocabulary"]
    assert "tried hugs, which is not in the vocabulary; its merges are unknown" in str(explained)


# The rest


def test_copies_and_pickles_are_equal(tok: pw.Tokenizer) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(tok, protocol)) == tok
    assert copy.copy(tok) == copy.deepcopy(tok) == tok
    assert tok != pw.train(WORDS, pw.WordPieceTrainer(vocab_size=19))
    assert tok != "something else"
    assert {tok: 1}[pickle.loads(pickle.dumps(tok))] == 1
    trainer = pw.WordPieceTrainer(30, criterion="pmi")
    assert pickle.loads(pickle.dumps(trainer)) == trainer
    for part in (pw.normalizers.BertNormalizer(lowercase=False), tok.pre_tokenizer):
        assert pickle.loads(pickle.dumps(part)) == part


def test_tokenizer_is_immutable(tok: pw.Tokenizer) -> None:
    before, shown_repr = tok.to_str(), repr(tok)
    tok.replace(unknown="char", max_input_chars_per_word=None)
    names = [name for name in dir(tok) if not name.startswith("_")]
    for name in (*names, "new", "_core", "_parts"):
        with pytest.raises(AttributeError, match=f"^cannot assign to '{name}': "):
            setattr(tok, name, None)
        with pytest.raises(AttributeError, match=f"^cannot delete '{name}': "):
            delattr(tok, name)
    assert (tok.to_str(), repr(tok)) == (before, shown_repr)


SETTINGS: list[tuple[Any, tuple[Any, ...]]] = [
    (pw.WordPieceTrainer(30), (40,)),
    (pw.BpeTrainer(300), (400,)),
    (pw.UnigramTrainer(300), (400,)),
    (pw.AddedToken("<name>"), ("<other>",)),
    (pw.Padding(8), (9,)),
    (pw.Truncation(8), (9,)),
    (pw.Regex("x"), ("y",)),
    (pw.normalizers.BertNormalizer(), (False,)),
    (pw.normalizers.Lowercase(), ()),
    (pw.pre_tokenizers.ByteLevel(), (False,)),
    (pw.pre_tokenizers.Dictionary(["a b"]), (["b"],)),
    (pw.pre_tokenizers.Jieba(), (False,)),
    (pw.models.WordPiece(["[UNK]"]), (["a"],)),
    (pw.models.Unigram([("a", -1.0)]), ([("b", -2.0)],)),
    (pw.models.Vocabulary(["a"]), (["b"],)),
    (pw.processors.TemplateProcessing("$A"), ("$A $B",)),
    (pw.decoders.Fuse(), ()),
    (pw.decoders.Metaspace(), ("_",)),
    (pw.WordCounts({"a": 1}), ({"b": 1},)),
    (pw.Tokenizer(pw.models.WordLevel(["a"])), (pw.models.WordLevel(["b"]),)),
]


@pytest.mark.parametrize(
    ("value", "others"), SETTINGS, ids=[type(value).__name__ for value, _ in SETTINGS]
)
def test_no_value_is_initialized_twice(value: Any, others: tuple[Any, ...]) -> None:
    before = pickle.dumps(value)
    if others:
        with pytest.raises(AttributeError, match="cannot call __init__ again: "):
            value.__init__(*others)
    else:
        value.__init__()  # there is nothing that it could change
    assert pickle.dumps(value) == before
    assert pickle.loads(before) == value
    assert copy.copy(value) == value


def test_the_signatures_of_settings_stay() -> None:
    assert str(inspect.signature(pw.AddedToken)).startswith("(content: ")
    assert "vocab_size" in inspect.signature(pw.WordPieceTrainer.__init__).parameters


class OwnTokenizer(pw.Tokenizer):
    """A subclass, as an application makes it."""


class OwnCounts(pw.WordCounts):
    """A subclass of a table."""


def test_subclasses_keep_their_class(tok: pw.Tokenizer) -> None:
    function = pw.pre_tokenizers.Function(str.split)
    own = OwnTokenizer.from_str(tok.to_str())
    kinds: list[Any] = [own, own.replace(pre_tokenizer=function)]
    for made in (*kinds, OwnCounts({"a": 1}), OwnCounts.from_texts(["a"], pre_tokenizer=function)):
        back = pickle.loads(pickle.dumps(made))
        assert type(back) is type(made)
        assert back == made
        assert type(copy.deepcopy(made)) is type(made)
    for made in (own.replace(unknown="char"), own.with_added_tokens(["<x>"])):
        assert type(pickle.loads(pickle.dumps(made))) is OwnTokenizer
    assert type(pickle.loads(pickle.dumps(tok))) is pw.Tokenizer


def test_max_id(tok: pw.Tokenizer) -> None:
    assert tok.max_id == len(tok) - 1
    gaps = pw.Tokenizer(pw.models.WordLevel({"a": 3, "b": 9}))
    assert (len(gaps), gaps.max_id) == (2, 9)
    assert gaps.with_added_tokens(["<x>"]).max_id == max(
        gaps.with_added_tokens(["<x>"]).vocab.values()
    )
    assert pw.Tokenizer(pw.models.WordLevel([])).max_id is None


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("normalizer", "call tok.replace(normalizer=...)"),
        ("post_processor", "call tok.replace(post_processor=...)"),
        ("padding", "call tok.replace(padding=...), or pass padding= to a call"),
        ("truncation", "call tok.replace(truncation=...), or pass truncation= to a call"),
        ("unk_token", "call tok.replace(unk_token=...)"),
        ("special_tokens", "call tok.with_added_tokens([...])"),
        ("model", "Tokenizer(model, normalizer=..., ...)"),
        ("history", "this attribute is read-only"),
        ("normaliser", "did you mean 'normalizer'?"),
    ],
)
def test_assignment_error_names_the_method_to_call(tok: pw.Tokenizer, name: str, way: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(way)):
        setattr(tok, name, None)


@pytest.mark.parametrize(
    "value",
    [
        pw.WordPieceTrainer(30),
        pw.BpeTrainer(300, alphabet="byte"),
        pw.UnigramTrainer(300),
        pw.AddedToken("<name>"),
        pw.Padding(8),
        pw.Truncation(8),
        pw.Regex("x"),
        pw.normalizers.BertNormalizer(),
        pw.models.WordPiece(["[UNK]"]),
        pw.processors.TemplateProcessing("$A"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_settings_are_immutable(value: Any) -> None:
    for field in dataclasses.fields(value):
        with pytest.raises(AttributeError, match=rf"dataclasses.replace\(value, {field.name}="):
            setattr(value, field.name, None)
        with pytest.raises(AttributeError, match="immutable"):
            delattr(value, field.name)
    with pytest.raises(AttributeError, match="has no setting of this name"):
        value.new = 1
    assert dataclasses.replace(value) == value


def test_assignment_error_fits_the_model() -> None:
    tok = pw.train(["low lower"], pw.BpeTrainer(30))
    with pytest.raises(AttributeError, match="build a tokenizer from another model"):
        tok.unk_token = "x"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="Merge is immutable; create another with"):
        tok.history[0].left = "x"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="Merge has no setting of this name"):
        tok.history[0].new = "x"  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(tok.history)) == tok.history


def test_replace_keeps_default_settings() -> None:
    trainer = pw.BpeTrainer(30)
    assert dataclasses.replace(trainer, ties="hf") == pw.BpeTrainer(30, ties="hf")
    byte = pw.BpeTrainer(30, alphabet="byte")
    assert (byte.unknown_token, dataclasses.replace(byte, alphabet="char").unknown_token) == (
        None,
        "<unk>",
    )
    listed = pw.BpeTrainer(30, special_tokens=["[UNK]"])
    assert (listed.unknown_token, dataclasses.replace(listed, special_tokens=[]).unknown_token) == (
        "[UNK]",
        "<unk>",
    )
    assert pickle.loads(pickle.dumps(trainer)) == copy.deepcopy(trainer) == trainer


def test_counts_accept_any_integer_type() -> None:
    assert pw.WordCounts({"a": np.int64(3)}) == pw.WordCounts({"a": 3})
    with pytest.raises(KeyError) as error:
        pw.WordCounts({"a": 1})["b" * 70_000]
    assert len(str(error.value)) < 100


def test_counts_are_immutable() -> None:
    counts = pw.WordCounts(WORDS)
    for name in ("total", "fingerprint", "_core", "new"):
        with pytest.raises(AttributeError, match="create one from a mapping"):
            setattr(counts, name, None)
    assert counts == pw.WordCounts(WORDS)


def test_reprs_show_key_settings(tok: pw.Tokenizer) -> None:
    for word in (
        "WordPiece",
        str(len(tok)),
        "BertNormalizer",
        "BertPreTokenizer",
        "likelihood",
        "merges",
    ):
        assert word in repr(tok)
    assert "5 words" in repr(pw.WordCounts(WORDS))
    assert "36" in repr(pw.WordCounts(WORDS))
    assert "vocab_size=30" in repr(pw.WordPieceTrainer(30))
    assert repr(pw.DEFAULT) == "DEFAULT"


def test_word_counts_are_a_mapping() -> None:
    counts = pw.WordCounts.from_texts(["b a b", "c a"])
    assert list(counts) == ["b", "a", "c"]
    assert dict(counts.items()) == {"b": 2, "a": 2, "c": 1}
    assert (len(counts), counts.total, counts["a"], "c" in counts, "d" in counts) == (
        *(3, 5, 2, True, False),
    )
    assert (counts.first_occurrence("b"), counts.first_occurrence("c")) == ((0, 0), (1, 0))
    assert counts.has_pipeline
    assert not pw.WordCounts({"a": 1}).has_pipeline
    for look in (lambda: counts["d"], lambda: counts.first_occurrence("d")):
        with pytest.raises(KeyError):
            look()
    assert counts + counts == counts.merge(counts)
    assert (counts + counts).total == 10
    assert counts == pickle.loads(pickle.dumps(counts))
    assert counts != pw.WordCounts({"b": 2, "a": 2, "c": 1})
    with pytest.raises(TypeError):
        hash(counts)


def test_files_are_counted_in_the_given_order(tmp_path: Path) -> None:
    for name, text in (("1", "a b\nc\n"), ("2", "d\r\ne"), ("3", ""), ("4", "a")):
        (tmp_path / name).write_bytes(text.encode())
    paths = [tmp_path / name for name in "1234"]
    counts = pw.WordCounts.from_texts(pw.Corpus(paths))
    assert counts == pw.WordCounts.from_texts(["a b", "c", "d", "e", "a"])
    assert counts == pw.WordCounts.from_texts(pw.Corpus(map(str, paths)), threads=3)
    assert counts == pw.WordCounts.from_texts(pw.Corpus(paths[:2])) + pw.WordCounts.from_texts(
        pw.Corpus(paths[2:]), first_document=4
    )


def test_components_have_json() -> None:
    bert, split = pw.normalizers.BertNormalizer(), pw.pre_tokenizers.WhitespaceSplit()
    assert bert.normalize_str("Ünï 中") == "uni  中 "
    assert split.pre_tokenize_str("é b.") == [("é", (0, 1)), ("b.", (2, 4))]
    assert bert == pw.normalizers.BertNormalizer(lowercase=True)
    assert bert != pw.normalizers.BertNormalizer(lowercase=False)
    assert len({bert, pw.normalizers.BertNormalizer()}) == 1
    with pytest.raises(AttributeError):
        bert.lowercase = False  # type: ignore[misc]


def test_attributes_are_computed_once_and_cannot_be_changed() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\n[SEP]\nhug\n")
    for name in ("vocab", "added_tokens", "model"):
        assert getattr(tok, name) is getattr(tok, name)
    assert json.loads(json.dumps(tok.vocab)) == {"[UNK]": 0, "[SEP]": 1, "hug": 2}
    assert pickle.loads(pickle.dumps(tok.vocab)) == copy.deepcopy(tok.vocab) == dict(tok.vocab)
    changes: list[Any] = [
        lambda each: each.update({}),
        lambda each: each.pop("hug"),
        lambda each: each.popitem(),
        lambda each: each.clear(),
        lambda each: each.setdefault("hug", 1),
        lambda each: operator.setitem(each, "the", 3),
        lambda each: operator.delitem(each, "hug"),
        lambda each: operator.ior(each, {"the": 3}),
    ]
    for change in changes:
        for mapping in (tok.vocab, tok.added_tokens):
            with pytest.raises(TypeError, match="read-only; copy it"):
                change(mapping)
    assert tok.vocab == {"[UNK]": 0, "[SEP]": 1, "hug": 2}


def test_errors_of_calls_name_the_public_class(tok: pw.Tokenizer) -> None:
    call: Any = tok
    for wrong, name in (
        (lambda: call.encode(word=1), "encode"),
        (lambda: call.decode_batch([], skip=1), "decode_batch"),
        (lambda: call.count("a", "b"), "count"),
        (lambda: call.arrow_udf(1, 2, 3), "arrow_udf"),
    ):
        with pytest.raises(TypeError, match=rf"^Tokenizer\.{name}\(\) "):
            wrong()
    for name, method in inspect.getmembers(pw.Tokenizer, inspect.isfunction):
        if not name.startswith("_"):
            assert pickle.loads(pickle.dumps(method)) is method
            assert method.__qualname__ == f"Tokenizer.{name}"

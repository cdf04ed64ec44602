"""Well-formed arguments of public calls, by their names."""

import functools
from pathlib import Path
from typing import Any

import numpy as np

import parts
import piecework as pw
from call_objects import (
    MESSAGES,
    TEMPLATE,
    TEXTS,
    WORDS,
    InThisProcess,
    halves,
    hf_parts,
    hf_tokenizers,
    tokenizers,
)
from piecework import hf, pre_tokenizers, training

COUNTS = [0, 1, 2, 3, 8, None]
PATHS = [
    "low.txt",
    "tok.json",
    "new.model",
    "counts",
    "folder/tok",
    "folder/ids",
    "made",
    Path("vocab.txt"),
]
"""The files of `call_objects.write_files`, and one that does not exist."""


class OwnStage:
    """The object of a caller that a component of `piecework.hf` calls."""

    def normalize(self, text: Any) -> None:
        """Normalizes, as a normalizer."""
        text.lowercase()

    def pre_tokenize(self, text: Any) -> None:
        """Splits, as a pre-tokenizer."""
        text.split(lambda _, part: part.split(" ", "removed"))

    def decode(self, tokens: list[str]) -> str:
        """Joins, as a decoder."""
        return "".join(tokens)


@functools.cache
def special_arguments() -> dict[str, dict[str, list[Any]]]:
    """Returns well-formed arguments of single calls, by the ends of their names and by name."""
    json, own = tokenizers()[0].to_str(), [OwnStage()]
    token = hf.Token(1, "low", (0, 3))
    trainers = [
        pw.WordPieceTrainer(60),
        pw.BpeTrainer(60),
        pw.UnigramTrainer(40),
        pw.WordLevelTrainer(9),
    ]
    kinds = [type(value) for tok in hf_tokenizers() for value in (tok, *hf_parts(tok))]
    names = sorted({name for kind in kinds for name in dir(kind) if not name.startswith("_")})
    counted = [TEXTS, WORDS, pw.WordCounts(WORDS)]
    state = [
        part.__getstate__()
        for part in (hf.normalizers.NFC(), hf.decoders.CTC(), hf.trainers.BpeTrainer())
    ]
    return {
        "from_str": {"text": [json, "[UNK]\nlow\n"], "json": [json]},
        "Tokenizer.from_bytes": {
            "data": [json.encode(), b"[UNK]\nlow\n", Path("new.model").read_bytes()]
        },
        "WordCounts.from_bytes": {"data": [pw.WordCounts(WORDS).to_bytes()]},
        "Tokenizer.from_file": {"path": ["tok.json", "vocab.txt", "new.model", "ranks.tiktoken"]},
        "from_folder": {"path": ["folder/tok"]},
        "from_tiktoken": {"path": ["ranks.tiktoken"], "name": ["gpt2"]},
        "from_sentencepiece": {"path": ["new.model"]},
        "from_subword_nmt": {"path": ["codes"], "vocab": [None]},
        "from_spm": {"filename": ["new.model"]},
        "save_folder": {"path": ["made"]},
        "from_vocab": {"text": ["a\t0.0\nb\t-1.0\n"]},
        "filter": {"func": [str.isalpha, lambda _: True]},
        "map": {"func": [str.upper, lambda _: "x"]},
        "for_each": {"func": [str.upper]},
        "PreTokenizedString.tokenize": {"func": [lambda _: [token]]},
        "PreTokenizedString.split": {"func": [lambda _, part: [part, None]]},
        "PreTokenizedString.normalize": {"func": [lambda part: part.lowercase()]},
        "custom": {"obj": own, "normalizer": own, "pretok": own, "decoder": own},
        "BPE.from_file": {"vocab": ["vocab.json"], "merges": ["merges.txt"]},
        "BPE.read_file": {"vocab": ["vocab.json"], "merges": ["merges.txt"]},
        "ByteLevelBPETokenizer.from_file": {
            "vocab_filename": ["vocab.json"],
            "merges_filename": ["merges.txt"],
        },
        "BertWordPieceTokenizer.from_file": {"vocab": ["vocab.txt"]},
        "WordLevel.from_file": {"vocab": ["vocab.json"]},
        "WordLevel.read_file": {"vocab": ["vocab.json"]},
        "train_from_iterator": {
            "ratio": [[1.0, 1.0]],
            "train_iterators": [[TEXTS, TEXTS]],
            "dev_iterators": [None, [TEXTS]],
        },
        "corpus.tokenize": {
            "texts": [pw.Corpus("low.txt")],
            "output": ["made"],
            "engine": [InThisProcess()],
        },
        "corpus.verify": {"path": ["folder/ids"]},
        "Dataset": {"path": ["folder/ids"]},
        "extend": {"tokenizer": tokenizers()[:4], "texts": [["zz zz zz"]], "new_tokens": [1]},
        "merge_files": {"paths": [["counts", "counts"]], "out": ["made"]},
        "load_files": {"paths": [["counts", "counts"]]},
        "count_to_file": {"path": ["made"]},
        "unicode_normalizer_from_str": {"normalizer": ["nfc", "nfkd"]},
        "times_less_likely": {
            "other": [pw.Tokenizer.explain(tokenizers()[5], "low").words[0].steps.taken]
        },
        "__setstate__": {"state": [*state, hf.decoders.DecodeStream().__getstate__()]},
        "Encoding.__setstate__": {"state": [hf_tokenizers()[0].encode("low").__getstate__()]},
        "hf.Tokenizer.__setstate__": {"state": [hf_tokenizers()[0].__getstate__()]},
        "train": {"texts": counted, "trainer": trainers},
        "trace": {"texts": counted, "trainer": trainers},
        "trace_criteria": {"texts": counted, "trainer": trainers[:1]},
        "evaluate": {"texts": [TEXTS, {"x": TEXTS}]},
        "prune": {"tokenizer": tokenizers()[:4], "texts": counted, "min_count": [1, 2]},
        "chat": {"messages": [MESSAGES], "template": [TEMPLATE]},
        "training.example": {"name": [*training.EXAMPLES]},
        "load": {"path": ["counts"], "folder": ["folder/ids"]},
        "WordCounts.__getitem__": {"key": ["low"], "word": ["low"]},
        "DecodeStream.step": {"tokenizer": hf_tokenizers(), "id": [1, [2, 3]]},
        "Parity.of": {"tokens": [{"en": 1, "de": 2}], "reference": ["en"]},
        "__setattr__": {"name": names},
        "__delattr__": {"name": names},
        "__getattr__": {"value": names},
        "__getitem__": {
            "index": [0, -1, slice(1)],
            "name": ["x", "fertility"],
            "criterion": ["pmi"],
        },
        "hf.processors.BertProcessing": {"cls_token": [("low", 2)]},
        "hf.processors.RobertaProcessing": {"cls_token": [("low", 2)]},
    }


def arguments() -> dict[str, list[Any]]:
    """Returns well-formed arguments by name."""
    toks = tokenizers()
    pre = hf.PreTokenizedString("low lower")
    by_names = {
        "texts text_or_texts iterator": [
            TEXTS,
            TEXTS,
            pw.Corpus("low.txt"),
            np.array(["low", "a"]),
        ],
        "inputs input rows": [TEXTS, [("low", "the")], [["low", "the"]], [[("a", True)]]],
        "text pair sequence s json content prepend prefix suffix separator": [
            *TEXTS,
            "low",
            b"low",
            ["low", "the"],
        ],
        "ids": [[1, 2], [], [2, 3, 1], np.array([1, 2]), 1, (1,)],
        "batch sequences": [[[1, 2], []], toks[0].encode_batch(TEXTS), [[]], np.array([[1, 2]])],
        "token word unk_token pad_token cls_token sep_token mask_token": [
            "low",
            "[UNK]",
            "<unk>",
            "a",
            "[PAD]",
        ],
        "tokens added_tokens special_tokens user_defined_symbols keep reserved user_defined": [
            ["low"],
            ["<x>"],
            [pw.AddedToken("<y>")],
            [hf.AddedToken("<y>")],
            [],
            [("low", 1)],
            {"low": 1},
        ],
        "id token_index char_pos word_index sequence_index sequence_id step index type_id word_idx number start end": [
            0,
            1,
            2,
        ],
        "sep cls": [("[SEP]", 1), ("low", 2)],
        "path paths output folder directory file files out base work_dir filename vocab_filename merges_filename": [
            *PATHS,
            ["low.txt"],
            "rows.jsonl",
            "ranks.tiktoken",
            "codes",
            "merges.txt",
            "vocab.json",
        ],
        "tok tokenizer old new like": [*toks, hf_tokenizers()[0]],
        "tokenizers": [{"a": toks[0], "b": toks[5]}, toks[0]],
        "trainer": [
            pw.WordPieceTrainer(60),
            pw.BpeTrainer(60),
            hf.trainers.BpeTrainer(vocab_size=60),
        ],
        "model": [
            toks[0].model,
            toks[3].model,
            toks[5].model,
            hf.models.BPE({"a": 0}, []),
            hf.models.WordLevel({"a": 0}, "a"),
        ],
        "normalizer": [*parts.NORMALIZERS[:4], None, hf.normalizers.NFC()],
        "pre_tokenizer": [
            *parts.PRE_TOKENIZERS[:4],
            None,
            hf.pre_tokenizers.Whitespace(),
            pre_tokenizers.Function(halves),
        ],
        "post_processor": [
            *parts.POST_PROCESSORS[:4],
            None,
            hf.processors.TemplateProcessing("$A", "$A $B"),
        ],
        "decoder": [*parts.DECODERS[:4], None, hf.decoders.Fuse()],
        "normalizers": [parts.NORMALIZERS[:2], [hf.normalizers.NFC()]],
        "pre_tokenizers": [parts.PRE_TOKENIZERS[:2], [hf.pre_tokenizers.Digits()]],
        "processors processors_py": [
            parts.POST_PROCESSORS[:2],
            [hf.processors.TemplateProcessing("$A", "$A $B")],
        ],
        "decoders decoders_py": [parts.DECODERS[:2], [hf.decoders.Fuse()]],
        "data state": [
            part.to_dict()
            for part in (
                *parts.NORMALIZERS[:3],
                *parts.PRE_TOKENIZERS[:3],
                *parts.DECODERS[:3],
                toks[0].model,
                toks[5].model,
                pw.Padding(3),
                pw.BpeTrainer(30),
            )
        ],
        "function func fn": [halves, len, str.split, lambda *_: None, lambda _, part: [part]],
        "progress": [None, lambda _: None, False],
        "engine": [None, InThisProcess()],
        "vocab": [
            ["[UNK]", "low", "a"],
            {"a": 0, "b": 1, "ab": 2},
            [("a", -1.0), ("b", -2.0)],
            "vocab.json",
        ],
        "merges": [[("a", "b")], [], ["a b"], "merges.txt"],
        "span range": [(0, 2), None, (1, 1)],
        "messages": [MESSAGES, [MESSAGES], []],
        "template": [TEMPLATE, None, "{{ messages[0].content }}"],
        "pretok": [pre],
        "normalized": [True, False, None, hf.NormalizedString("low")],
        "encoding": [hf_tokenizers()[0].encode("low lower"), "utf-8", "auto", "latin-1"],
        "encodings": [
            [toks[0].encode("low"), toks[0].encode("a")],
            [hf_tokenizers()[0].encode("low")],
        ],
        "padding": [pw.Padding(6), 8, None],
        "truncation": [pw.Truncation(4), 3, None],
        "sampling": [pw.Sampling(alpha=0.5), None, pw.Sampling(dropout=0.5)],
        "specials": ["match", "text", "error", "text-all", {"[CLS]"}, None],
        "segments": [[("low", True), ("[CLS]", False)]],
        "pattern": ["a", pw.Regex("a|b"), hf.Regex(r"\w+"), "gpt2", " "],
        "behavior": ["isolated", "removed", "contiguous", hf.SplitDelimiterBehavior.REMOVED],
        "criterion": ["likelihood", "pmi", "sum", "frequency", None],
        "criteria": [["pmi", "sum"]],
        "side direction": ["left", "right"],
        "strategy": ["longest_first", "only_first", "only_second"],
        "format": [None, "vocab.txt", "text", "jsonl", "tokenizer.json"],
        "words": [["zz"], WORDS, 10],
        "steps": [slice(None), slice(0, 2)],
        "vocab_size": [18, 30, 60, 300],
        "n nbest top examples width limit length max_length max_tokens stride pad_id pad_type_id pad_to_multiple_of sequence_length unk_id": COUNTS,
        "max_memory part_bytes": [None, "1MB", 10**6],
        "threads workers": [None, 1, 2],
        "alpha dropout probability renyi_power score value": [0.5, 1.0, None],
        "precompiled_charsmap buffer": [b"", b"\0\0\0\0", toks[0].to_str().encode()],
        "rules": [{"a": "b"}],
        "phrases": [["low lower", "a"]],
        "single": ["$A", "[CLS] $A"],
        "other": [pw.WordCounts(WORDS), toks[0]],
        "select ignore": [["unreachable"], ()],
        "delimiter replacement": [" ", "▁"],
        "stop after": ["low", 3, None],
        "layout": ["npy", "bin", "parquet"],
        "annotations": [[hf.tools.Annotation(0, 1, "a")]],
        "probabilities": [{"low": 0.5}, None],
        "unknown": ["word", "char", "run"],
        "prepend_scheme": ["always", "first", "never"],
        "tools documents": [None, [{"type": "function", "function": {"name": "f"}}]],
        "matrix": [np.zeros((60, 2)), np.zeros((3, 2), dtype=np.float32)],
        "parts": [[]],
        "obj": [object()],
        "initial_alphabet": [["a", "b"], []],
        "name": ["a", "x", "gpt2", "note-001"],
        "column": ["text"],
        "per": ["line", "file"],
        "fail_over": [{"fertility": 2.0}, {}],
    }
    return {name: values for names, values in by_names.items() for name in names.split()}

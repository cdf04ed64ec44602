"""Well-formed objects of the public classes, and the files that calls read."""

import copy
import functools
import inspect
import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import parts
import piecework as pw
from piecework import (
    analysis,
    corpus,
    decoders,
    engines,
    hf,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    training,
)

TEXTS = ["the cat sat", "low lower, lowest!", "", "a b. [CLS] 12", "中文 é🙂"]
WORDS = {"low": 5, "lower": 3, "lowest": 2, "new": 4, "newer": 1}
MESSAGES = [{"role": "user", "content": "the cat"}, {"role": "assistant", "content": "low"}]
TEMPLATE = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"


class InThisProcess:
    """An engine that starts no processes."""

    def run(self, fn: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
        """Runs the parts one after another."""
        return map(fn, parts)


def halves(text: str) -> list[tuple[int, int]]:
    """Splits a text, as a pre-tokenizer of the caller."""
    return [(0, len(text) // 2), (len(text) // 2, len(text))]


@functools.cache
def tokenizers() -> list[pw.Tokenizer]:
    """Returns tokenizers of every model, with all kinds of stages."""
    plain = pw.train(TEXTS, pw.WordPieceTrainer(60))
    added = [pw.AddedToken("<x>", special=True), pw.AddedToken("b. ", lstrip=True)]
    return [
        plain,
        plain.replace(unknown="char", truncation=pw.Truncation(6, 1), padding=pw.Padding(6)),
        plain.replace(segmentation="likeliest", probabilities={"low": 0.5}),
        pw.train(WORDS, pw.BpeTrainer(30)).with_added_tokens(added),
        pw.train(TEXTS, pw.BpeTrainer(280, alphabet="byte")),
        pw.train(WORDS, pw.UnigramTrainer(18)),
        pw.Tokenizer(models.WordLevel(["a", "low", "<unk>"]), pre_tokenizer=pre_tokenizers.Jieba()),
        plain.replace(pre_tokenizer=pre_tokenizers.Function(halves)),
        parts.made(
            normalizer=parts.NORMALIZERS[-1], decoder=decoders.Fuse(), padding=parts.PADDING
        ),
        pw.Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0), ("ab", -1.5)], unk_id=0)),
    ]


@functools.cache
def hf_tokenizers() -> list[Any]:
    """Returns tokenizers of `piecework.hf`, with a stage of each kind."""
    made = [hf.Tokenizer.from_str(tok.to_str()) for tok in tokenizers()[:6] if is_plain(tok)]
    made[0].post_processor = hf.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    made[0].enable_truncation(4)
    trained = hf.BertWordPieceTokenizer()
    trained.train_from_iterator(TEXTS, vocab_size=60, show_progress=False)
    classes = [hf.ByteLevelBPETokenizer, hf.CharBPETokenizer, hf.SentencePieceBPETokenizer]
    return [*made, trained, *(made() for made in classes), hf.SentencePieceUnigramTokenizer()]


def is_plain(tok: pw.Tokenizer) -> bool:
    """Returns whether the JSON of a tokenizer is one that `tokenizers` reads."""
    return '"piecework.' not in tok.to_str()


def write_files() -> None:
    """Writes the files that arguments name into the working folder."""
    tok, unigram = tokenizers()[0], tokenizers()[5]
    Path("low.txt").write_text("low lower\nlowest\n\n", "utf-8")
    Path("rows.jsonl").write_text('{"text": "low"}\n{"text": 3}\n', "utf-8")
    Path("codes").write_text("#version: 0.2\nl o\nlo w</w>\n", "utf-8")
    Path("jieba").write_text("word 1\n", "utf-8")
    Path("vocab.json").write_text('{"l": 0, "o": 1, "lo": 2}', "utf-8")
    Path("merges.txt").write_text("#version: 0.2\nl o\n", "utf-8")
    Path("ranks.tiktoken").write_text("bA== 0\nbw== 1\nbG8= 2\n", "utf-8")
    Path("vocab.txt").write_text("[UNK]\nlow\n##er\n", "utf-8")
    Path("folder").mkdir()
    tok.save("tok.json")
    unigram.save("new.model", approximate=True)
    tok.save_folder("folder/tok")
    tokenized("folder/ids")
    pw.WordCounts(WORDS).save("counts")


def tokenized(path: str) -> corpus.Manifest:
    """Returns the manifest of a small tokenized corpus."""
    return corpus.tokenize(tokenizers()[0], pw.Corpus("low.txt"), path, engine=InThisProcess())


CALLS: list[Callable[[pw.Tokenizer], Any]] = [
    lambda tok: tok.encode("low [CLS]", "the"),
    lambda tok: tok.encode_batch(TEXTS, offsets=True),
    lambda tok: tok.encode_batch(TEXTS).padded(length=9, pad_id=0),
    lambda tok: tok.explain("low lowest zz"),
    lambda tok: tok.lineage("lo"),
    lambda tok: tok.decode_with_offsets([1, 2]),
    lambda tok: tok.decode_with_offsets_batch([[1], [2]]),
    lambda tok: tok.truncate_text("low lower", 3),
    lambda tok: tok.token_bytes(),
    lambda tok: tok.decode_stream(details=True).step(2),
    lambda tok: [tok.lm, tok.training, tok.history],
]
"""Calls of a tokenizer, some of which fail for some models."""


def roots() -> Iterator[Any]:
    """Yields results of calls, from which objects of most public classes are reached."""
    for tok in tokenizers():
        yield from [tok, *filter(None, (attempt(functools.partial(call, tok)) for call in CALLS))]
    yield from (part for _, part in parts.EVERY)
    yield from [pre_tokenizers.Function(halves), normalizers.SentencePiece()]
    plain, other, *_ = tokenizers()
    unigram = tokenizers()[5]
    yield [unigram.lm.nbest("low", 3), unigram.lm.sample("low", 2, seed=1)]
    yield plain.chat(MESSAGES, template=TEMPLATE)
    yield [pw.WordCounts.from_texts(TEXTS), *pw.Corpus("low.txt").documents(), pw.Corpus("low.txt")]
    yield pw.compare({"a": plain, "b": unigram}, "low zz")
    report = pw.evaluate(
        {"a": plain, "b": unigram},
        {"x": TEXTS, "y": TEXTS[::-1]},
        parallel=True,
        reference="x",
        disagreements=2,
    )
    yield [report, report.check(fail_over={"fertility": 0.1})]
    yield pw.diff(plain, plain.with_added_tokens(["low"]), TEXTS)
    yield pw.diff(tokenizers()[3], tokenizers()[4], TEXTS)
    other_scores = pw.Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.1)], unk_id=0))
    yield pw.diff(tokenizers()[9], other_scores, TEXTS)
    yield pw.lint(other)
    yield [pw.extend(plain, ["zz zz zz"], new_tokens=1), pw.prune(plain, TEXTS, min_count=1)]
    yield from [training.example("note-001"), pw.trace(WORDS, pw.UnigramTrainer(18))]
    yield pw.trace(WORDS, pw.WordPieceTrainer(30, criterion="pmi"))
    yield pw.trace_criteria(WORDS, pw.WordPieceTrainer(30))
    yield [tokenized("ids"), corpus.Dataset("ids"), corpus.Finding("a", "b")]
    yield [engines.Ray(), engines.Spark(), engines.Local(1), *(rule for rule in analysis.RULES)]
    yield [pw.BpeTrainer(30), pw.UnigramTrainer(18), decoders.SentencePiece(), analysis.METRICS]
    yield [processors.TemplatePiece("Sequence", "A"), processors.SpecialToken("a", (1,), ("a",))]
    yield [pw.WordCounts.count_to_file(TEXTS, "counted")]
    yield [pw.Limits(entries=5), pw.Sampling(alpha=0.5)]
    yield [pw.WordLevelTrainer(10), pw.Regex("a|b"), pw.Progress("a", 1, 2)]
    trace = pw.trace(WORDS, pw.WordPieceTrainer(30))
    yield [trace.words(1), trace.changed_words(1), models.Vocabulary(["a"])]
    yield tokenizers()[3].replace(pre_tokenizer=None).explain("low newest", max_characters=None)
    yield [
        models.WordPiece(["a"]).vocab,
        models.BPE(["a"]).merges,
        models.Unigram([("a", -1.0)]).vocab,
    ]
    yield [corpus.CorpusProgress("encode", 1, 2, 3, 0.5, 0, 0)]
    yield from streams()
    yield from hf_roots()


def streams() -> list[Any]:
    """Returns streams, which their calls change."""
    return [
        stream
        for tok in tokenizers()[:5]
        for stream in (
            tok.decode_stream(),
            tok.decode_stream(details=True, stop="low"),
            tok.decode_bytes_stream(),
        )
    ]


def hf_roots() -> Iterator[Any]:
    """Yields objects of `piecework.hf`."""
    for tok in hf_tokenizers():
        yield [tok, *hf_parts(tok)]
    yield [hf_tokenizers()[0].encode("low lower", "the")]
    for module in (hf.normalizers, hf.pre_tokenizers, hf.processors, hf.decoders, hf.trainers):
        for name in module.__all__:
            made = getattr(module, name)
            if inspect.isclass(made) and (built := attempt(made)) is not None:
                yield built
    yield [hf.NormalizedString("Low é"), hf.PreTokenizedString("low lower"), hf.Regex("a|b")]
    yield [hf.Token(1, "low", (0, 3)), hf.AddedToken("<x>"), hf.tools.Annotation(0, 1, "a")]
    yield [hf.normalizers.Replace("a", "b"), hf.normalizers.Sequence([hf.normalizers.NFC()])]
    yield [hf.pre_tokenizers.Split(" ", "isolated"), hf.pre_tokenizers.CharDelimiterSplit(" ")]
    yield [hf.processors.TemplateProcessing("$A", "$A $B"), hf.processors.Sequence([])]
    yield [hf.processors.BertProcessing(("a", 1), ("b", 2)), hf.decoders.Sequence([])]
    yield [hf.processors.RobertaProcessing(("a", 1), ("b", 2)), hf.decoders.Replace("a", "b")]
    yield hf.tools.EncodingVisualizer(hf_tokenizers()[0], default_to_notebook=False)
    yield [hf.models.WordLevel({"a": 0}, "a"), hf.models.Unigram([("a", -1.0)], 0)]
    yield hf.pre_tokenizers.Sequence([hf.pre_tokenizers.Digits()])


def hf_parts(tok: Any) -> list[Any]:
    """Returns the model and the stages of a tokenizer of `piecework.hf`."""
    return [tok.model, tok.normalizer, tok.pre_tokenizer, tok.decoder, tok.post_processor]


def attempt(call: Callable[[], Any]) -> Any:
    """Returns the result of a call without arguments; None if it fails."""
    try:
        return call()
    except Exception:  # noqa: BLE001  # a class that needs arguments, or a base class
        return None


MOST = 12
"""The number of objects of one class that are kept."""


@functools.cache
def objects() -> dict[type[Any], list[Any]]:
    """Returns objects of the classes of piecework by class, reached from the roots by public attributes."""
    found: dict[type[Any], list[Any]] = defaultdict(list)
    seen = set[int]()
    keep = []
    todo = deque(roots())
    while todo:
        value = todo.popleft()
        keep.append(value)  # so that no identity is used twice
        if id(value) in seen:
            continue
        seen.add(id(value))
        if type(value).__module__.startswith("piecework"):
            if len(found[type(value)]) >= MOST:
                continue
            found[type(value)].append(value)
            todo.extend(attributes(value))
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            todo.extend(itertools.islice(value, 20))
        elif isinstance(value, dict):
            todo.extend(itertools.islice(value.values(), 20))
    return found


def attributes(value: Any) -> Iterator[Any]:
    """Yields the public attributes of an object that are not methods."""
    for name in dir(value):
        if not name.startswith("_") and not callable(getattr(type(value), name, None)):
            yield attempt(functools.partial(getattr, value, name))


def fresh(value: Any) -> Any:
    """Returns an object that a call may change: a copy of those that can change."""
    changes = isinstance(value, pw.DecodeStream) or type(value).__module__.startswith(
        "piecework.hf"
    )
    return copy.deepcopy(value) if changes else value

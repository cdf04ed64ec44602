"""Undamaged files and folders of every format, and how each is loaded and used."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import pickle
import random
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import piecework as pw
from piecework import normalizers, pre_tokenizers
from piecework.errors import PieceworkError
from torture.trials import Broken

sys.path.append(str(Path(__file__).parents[2] / "tests" / "helpers"))

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Content = dict[str, bytes]
    """The files of a folder."""

TEXTS = (
    "The quick brown fox jumps over the lazy dog. It's 2026, and they've seen 1,234,567 dogs!",
    "low lower lowest new newer newest  wide\twider\nwidest naïve café 低い 中文 \U0001f600 \u0e44\u0e17\u0e22",
    "def f(x):\n    return [x[0], '</s> <unk> [MASK] <|endoftext|>']\n",
    "",
)
TEMPLATE = (
    "{% for message in messages %}{{ message.role }}: {{ message.content }}\n"
    "{% if message.role == 'assistant' %}{% generation %}{{ message.content }}{% endgeneration %}{% endif %}{% endfor %}"
)
CHAT = [{"role": "user", "content": "low lower"}, {"role": "assistant", "content": "newest"}]
WRITTEN = (10**9, 10**9)
"""The times of access and change of all files, in seconds."""
LAYOUTS = ("npy", "parquet", "megatron", "datatrove", "nanogpt", "llm.c")


class Format(NamedTuple):
    """Describes a format: its files, by the names of examples, and how a folder with them is used."""

    make: Callable[[], Iterable[tuple[str, Content]]]
    use: Callable[[Path], object]


def write(folder: Path) -> None:
    """Writes all examples into a folder."""
    with warnings.catch_warnings(action="ignore"):
        for kind, (make, _) in FORMATS.items():
            for name, files in make():
                for file, data in files.items():
                    path = folder / kind / name / file
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
                    os.utime(path, WRITTEN)  # a corpus that is resumed has the time of its input


def content(folder: Path) -> Content:
    """Returns the files of a folder and of those in it."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def only(folder: Path) -> Path:
    """Returns the only file of a folder."""
    (path,) = folder.iterdir()
    return path


# Tokenizers


@cache
def trained() -> dict[str, pw.Tokenizer]:
    """Returns a small tokenizer of each model, with the record of its training."""
    words = TEXTS[:3] * 3
    made = {
        "WordPiece": pw.train(words, pw.WordPieceTrainer(150)),
        "BPE": pw.train(words, pw.BpeTrainer(330, alphabet="byte", special_tokens=["<|end|>"])),
        "BPE of words": pw.train(words, pw.BpeTrainer(120, end_of_word_suffix="</w>")),
        "Unigram": pw.train(words, pw.UnigramTrainer(340, byte_fallback=True)),
        "WordLevel": pw.train(words, pw.WordLevelTrainer(60)),
    }
    made["all settings"] = made["WordPiece"].replace(
        normalizer=normalizers.Sequence(
            [normalizers.Replace(pw.Regex("a(?=b)|[x-z]+"), "x"), normalizers.NFKC()]
        ),
        pre_tokenizer=pre_tokenizers.Sequence(
            [pre_tokenizers.Dictionary(["new newer"]), pre_tokenizers.BertPreTokenizer()]
        ),
        truncation=pw.Truncation(12, stride=2),
        padding=pw.Padding(16),
    )
    return made


def _saved(name: str, kind: Any, file: str, **settings: Any) -> Content:
    """Returns the files of a tokenizer in a format."""
    with tempfile.TemporaryDirectory() as folder:
        trained()[name].save(Path(folder) / file, kind, **settings)
        return content(Path(folder))


def _tokenizer_json() -> Iterator[tuple[str, Content]]:
    import model_families

    for name, tok in trained().items():
        yield name, {"tokenizer.json": tok.to_str().encode()}
    for number, (name, entry) in enumerate(model_families.entries().items()):
        if "format" not in entry:
            yield f"family-{number}", {"tokenizer.json": model_families.family(name).content}


def _sentencepiece() -> Iterator[tuple[str, Content]]:
    import model_families

    yield "ours", _saved("Unigram", "sentencepiece", "a.model", approximate=True)
    for number, (name, entry) in enumerate(model_families.entries().items()):
        if entry.get("format") == "sentencepiece":
            yield f"family-{number}", {"a.model": model_families.family(name).content}


def _one(name: str, kind: str, file: str) -> Callable[[], list[tuple[str, Content]]]:
    return lambda: [(name, _saved(name, kind, file))]


def _merges() -> Iterator[tuple[str, Content]]:
    for name in ("BPE", "BPE of words"):
        folder = _saved(name, "merges.txt", "bpe")
        yield name, {path.removeprefix("bpe/"): data for path, data in folder.items()}


def _clip() -> Iterator[tuple[str, Content]]:
    """Yields CLIP's list of merges, which are those of codes of subword-nmt with another first line."""
    codes = _only_of(_saved("BPE of words", "subword-nmt", "codes")).splitlines(keepends=True)
    data = b'"bpe_simple_vocab_16e6.txt#version: 0.2\n' + b"".join(
        line for line in codes[1:] if line.isascii()
    )
    yield "plain", {"clip.txt": data}
    yield "gzip", {"clip.txt.gz": gzip.compress(data)}


def _packed() -> Iterator[tuple[str, Content]]:
    """Yields tokenizers compressed by gzip and Zstandard."""
    import zstandard

    files = {
        "tokenizer.json": trained()["WordPiece"].to_str().encode(),
        "vocab.txt": _only_of(_saved("WordPiece", "vocab.txt", "vocab.txt")),
        "a.model": _only_of(_saved("Unigram", "sentencepiece", "a.model", approximate=True)),
        "gpt2.tiktoken": _only_of(_saved("BPE", "tiktoken", "gpt2.tiktoken")),
    }
    for name, data in files.items():
        yield f"{name}.gz", {f"{name}.gz": gzip.compress(data)}
        yield f"{name}.zst", {f"{name}.zst": zstandard.compress(data)}


def _only_of(files: Content) -> bytes:
    """Returns the only file of a folder that was read."""
    (data,) = files.values()
    return data


def _folders() -> Iterator[tuple[str, Content]]:
    """Yields folders of models with all files that configure them."""
    for name in ("WordPiece", "BPE", "Unigram"):
        with tempfile.TemporaryDirectory() as folder:
            trained()[name].save_folder(folder, approximate=name == "Unigram")
            files = content(Path(folder))
        config = json.loads(files["tokenizer_config.json"])
        extra = {"chat_template.jinja": TEMPLATE.encode(), "added_tokens.json": b'{"<new>": 9999}'}
        yield f"{name}, tokenizer.json", files | extra
        legacy = {"special_tokens_map.json": files["special_tokens_map.json"], **extra}
        for kind, cls in CLASSES[name].items():
            stored = config | {"tokenizer_class": cls, "chat_template": TEMPLATE}
            stored["added_tokens_decoder"] = {"0": {"content": "<pad>", "special": True}}
            vocabulary = _vocabulary(name, kind)
            named = {"tokenizer_config.json": json.dumps(stored).encode()}
            yield f"{name}, {cls}", legacy | named | vocabulary


CLASSES: dict[str, dict[str, str]] = {
    "WordPiece": {"vocab.txt": "BertTokenizer"},
    "BPE": {"merges.txt": "GPT2Tokenizer", "": "Qwen2Tokenizer"},
    "Unigram": {"spiece.model": "T5Tokenizer", "sentencepiece.bpe.model": "XLMRobertaTokenizer"},
}


def _vocabulary(name: str, kind: str) -> Content:
    """Returns the files of a vocabulary in a folder of a model."""
    if name == "BPE":
        return dict(_merges())["BPE"]
    if name == "Unigram":
        return {kind: _only_of(_saved(name, "sentencepiece", "a.model", approximate=True))}
    return _saved(name, "vocab.txt", "vocab.txt")


def _load_file(folder: Path) -> object:
    names = sorted(path.name for path in folder.iterdir())
    first = next((name for name in names if name in {"vocab.json", "encoder.json"}), names[0])
    return use(pw.Tokenizer.from_file(folder / first), folder)


def _load_tiktoken(folder: Path) -> object:
    return use(pw.Tokenizer.from_tiktoken(only(folder), "gpt2", special_tokens={}), folder)


def _load_subword_nmt(folder: Path) -> object:
    return use(pw.Tokenizer.from_subword_nmt(only(folder)), folder)


def _load_folder(folder: Path) -> object:
    tok = pw.Tokenizer.from_folder(folder)
    with contextlib.suppress(PieceworkError):
        tok.chat(CHAT)
    with contextlib.suppress(PieceworkError):
        tok.save_folder(folder / "saved")
    return use(tok, folder)


def use(tok: pw.Tokenizer, folder: Path) -> None:
    """Encodes, decodes, explains and saves with a tokenizer, which may raise errors of piecework."""
    for call in USES:
        with contextlib.suppress(PieceworkError):
            call(tok)
    for file in ("tokenizer.json", "vocab.txt", "a.model", "a.tiktoken"):
        with contextlib.suppress(PieceworkError):
            tok.save(folder / f"saved-{file}")
    _check_saved(tok)


def _check_saved(tok: pw.Tokenizer) -> None:
    """Checks that what is saved can be loaded, and encodes as before; control symbols are then special tokens."""
    saved, specials = pw.Tokenizer.from_str(tok.to_str()), "text" if tok.control_symbols else None
    for text in TEXTS:
        before, after = _ids(tok, text, specials), _ids(saved, text, specials)
        if before != after:
            raise Broken(f"other ids once it is saved: {before} {after}")


def _ids(tok: pw.Tokenizer, text: str, specials: Any) -> object:
    try:
        return tok.encode_ids(text, specials=specials)
    except PieceworkError as error:
        return type(error)


USES: tuple[Callable[[pw.Tokenizer], object], ...] = (
    lambda tok: tok.encode(*TEXTS[:2]).to_dict(),
    lambda tok: [tok.encode(text, padding=None, truncation=None).tokens for text in TEXTS],
    lambda tok: tok.encode_batch(TEXTS, offsets=True).to_list(),
    lambda tok: tok.encode_batch(TEXTS, padding=None).ids,
    lambda tok: tok.count(TEXTS[1] * 20),
    lambda tok: tok.truncate_text(TEXTS[1] * 5, 30),
    lambda tok: tok.decode(tok.encode_ids(TEXTS[1])),
    lambda tok: tok.decode(range(-1, 30)),
    lambda tok: tok.decode_with_offsets([*range(20)]),
    lambda tok: [tok.decode_stream().step(number) for number in range(20)],
    lambda tok: tok.token_bytes,
    lambda tok: (str(tok.explain(TEXTS[0])), repr(tok), tok.fingerprint, len(tok.vocab)),
    lambda tok: (tok.normalizer, tok.pre_tokenizer, tok.post_processor, tok.decoder, tok.model),
    lambda tok: (tok.unreachable_tokens(), tok.training.steps, str(pw.lint(tok))),
    lambda tok: pickle.loads(pickle.dumps(tok)).encode_ids(TEXTS[0]),
    lambda tok: pw.evaluate(tok, TEXTS[:2]),
    lambda tok: tok.with_added_tokens(["<added>"]).encode("a <added> b"),
    lambda tok: tok.untrusted().encode(TEXTS[2]),
    lambda tok: pw.WordCounts.from_texts(TEXTS, like=tok),
    lambda tok: tok.lm.nbest(TEXTS[1], 3) if tok.model_type == "Unigram" else None,
)


# Counts and pickles


def _counts() -> Iterator[tuple[str, Content]]:
    yield "plain", {"a.counts": pw.WordCounts({"low": 5, "lower": 2, "低": 1}).to_bytes()}
    yield "of texts", {"a.counts": pw.WordCounts.from_texts(TEXTS).to_bytes()}
    like = pw.BpeTrainer(300, alphabet="byte")
    yield "of BPE", {"a.counts": pw.WordCounts.from_texts(TEXTS, like=like).to_bytes()}


def _load_counts(folder: Path) -> object:
    counts = pw.WordCounts.load(only(folder))
    for call in (
        lambda: pw.WordCounts.load_files([only(folder)] * 2),
        lambda: pw.WordCounts.merge_files([only(folder)] * 2, folder.parent / "sum.counts"),
        lambda: counts + counts,
        lambda: (counts.normalizer, counts.pre_tokenizer, counts.added_tokens, repr(counts)),
        lambda: pw.train(counts, pw.WordPieceTrainer(60)),
        lambda: pw.train(counts, pw.BpeTrainer(60)),
        lambda: pw.train(counts, pw.UnigramTrainer(40)),
    ):
        with contextlib.suppress(PieceworkError):
            call()
    if pw.WordCounts.from_bytes(counts.to_bytes()) != counts:
        raise Broken("other counts once they are saved")
    return counts


def _pickled() -> Iterator[tuple[str, Content]]:
    """Yields the bytes of ours in pickles: damage of Python's own would run any function."""
    for name, tok in trained().items():
        yield name, {"text": tok.__reduce__()[1][0].encode()}


def _unpickle(folder: Path) -> object:
    rebuild, (_, *others) = trained()["WordPiece"].__reduce__()[:2]
    text = only(folder).read_bytes().decode(errors="replace")
    return use(rebuild(text, *others), folder)


# Corpora


@cache
def documents() -> list[str]:
    """Returns the texts of the small corpora."""
    choice = random.Random(1)
    words = " ".join(TEXTS).split()
    return [" ".join(choice.choices(words, k=choice.randint(0, 12))) for _ in range(60)]


def _corpora() -> Iterator[tuple[str, Content]]:
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq
    import zstandard

    text = "".join(f"{line}\n" for line in documents()).encode()
    rows = [{"id": number, "text": line} for number, line in enumerate(documents())]
    jsonl = "".join(
        json.dumps(row, ensure_ascii=row["id"] % 2 == 0) + "\n" for row in rows
    ).encode()
    for name, data in {"a.txt": text, "a.jsonl": jsonl}.items():
        yield name, {name: data}
        yield f"{name}.gz", {f"{name}.gz": gzip.compress(data)}
        yield f"{name}.zst", {f"{name}.zst": zstandard.compress(data)}
    table = pa.Table.from_pylist(rows)
    for compression in ("none", "snappy", "zstd", "gzip"):
        out = io.BytesIO()
        pq.write_table(
            table, out, compression=compression, row_group_size=20, write_page_index=True
        )
        yield f"{compression}.parquet", {"a.parquet": out.getvalue()}
    for kind, new in {"file": pa.ipc.new_file, "stream": pa.ipc.new_stream}.items():
        out = io.BytesIO()
        with new(out, table.schema) as file:
            file.write_table(table)
        yield f"{kind}.arrow", {"a.arrow": out.getvalue()}


def _read_corpus(folder: Path) -> object:
    path, tok = only(folder), trained()["WordPiece"]
    corpora = [
        pw.Corpus(path, **settings)
        for settings in ({}, {"on_error": "skip"}, {"errors": "replace"}, {"encoding": "auto"})
        if settings.keys() <= {"on_error"} or not path.name.endswith((".parquet", ".arrow"))
    ]
    for corpus in corpora[1:]:
        with contextlib.suppress(PieceworkError):
            list(corpus.documents())
        with contextlib.suppress(PieceworkError):
            pw.count_words(corpus)
    with contextlib.suppress(PieceworkError):
        tok.encode_batch(corpora[0])
    return list(corpora[0])


# Tokenized corpora


def _tokenized() -> Iterator[tuple[str, Content]]:
    """Yields folders of ids with their input, finished and interrupted."""
    from corpora import InProcess, Stopping

    for layout in LAYOUTS:
        for name, engine in {"finished": InProcess(), "interrupted": Stopping(3)}.items():
            if name == "interrupted" and layout not in {"npy", "parquet"}:
                continue
            with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
                Path("in.txt").write_text("\n".join(documents()))
                os.utime("in.txt", WRITTEN)
                with contextlib.suppress(InterruptedError):
                    _tokenize(layout, engine)
                yield f"{layout}-{name}", content(Path(made))


def _tokenize(layout: Any, engine: Any, **settings: Any) -> Any:
    small: Any = {"part_bytes": 500, "shard_tokens": 200} | settings
    tok, corpus = trained()["WordPiece"], pw.Corpus("in.txt")
    return pw.corpus.tokenize(tok, corpus, layout, layout=layout, engine=engine, **small)


def _read_tokenized(folder: Path) -> object:
    from corpora import InProcess

    layout = next(name for name in LAYOUTS if (folder / name).exists())
    with contextlib.chdir(folder):
        with contextlib.suppress(PieceworkError):
            pw.corpus.verify(layout, trained()["WordPiece"])
        with contextlib.suppress(PieceworkError):
            data = pw.corpus.Dataset(layout, sequence_length=_length(layout))
            [row.tolist() for row in data]
        with contextlib.suppress(PieceworkError):
            _tokenize(layout, InProcess())
        return _tokenize(layout, InProcess(), overwrite=True)


def _length(layout: str) -> int | None:
    return 8 if layout in {"nanogpt", "llm.c"} else None


FORMATS: dict[str, Format] = {
    "tokenizer.json": Format(_tokenizer_json, _load_file),
    "vocab.txt": Format(_one("WordPiece", "vocab.txt", "vocab.txt"), _load_file),
    "vocab.json and merges.txt": Format(_merges, _load_file),
    "tiktoken": Format(_one("BPE", "tiktoken", "gpt2.tiktoken"), _load_tiktoken),
    "SentencePiece": Format(_sentencepiece, _load_file),
    "subword-nmt": Format(_one("BPE of words", "subword-nmt", "codes"), _load_subword_nmt),
    "CLIP": Format(_clip, _load_file),
    "compressed": Format(_packed, _load_file),
    "folders of models": Format(_folders, _load_folder),
    "counts": Format(_counts, _load_counts),
    "pickles": Format(_pickled, _unpickle),
    "corpora": Format(_corpora, _read_corpus),
    "tokenized corpora": Format(_tokenized, _read_tokenized),
}

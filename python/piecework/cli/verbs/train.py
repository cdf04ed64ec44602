"""`piecework train`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from enum import Enum
from pathlib import Path  # noqa: TC003  # typer reads it
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from piecework.cli.counting import count_words, load_counts
from piecework.cli.input import STDIN, Input
from piecework.cli.options import (
    Errors,
    FileEncoding,
    NoProgress,
    OnBrokenBytes,
    Splitting,
    TextFiles,
    Threads,
)
from piecework.cli.output import as_json, check_target, printing, shown
from piecework.cli.progress import bar
from piecework.cli.streams import report
from piecework.errors import shown as cut
from piecework.errors import warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import Merge, Tokenizer, UnigramStep, WordCounts
    from piecework.trainers import Trainer


class ModelName(Enum):
    """What is trained."""

    wordpiece = "wordpiece"
    bpe = "bpe"
    unigram = "unigram"


class Criterion(Enum):
    """What makes a pair good."""

    likelihood = "likelihood"
    pmi = "pmi"
    sum = "sum"
    frequency = "frequency"


class Ties(Enum):
    """Which of equally good pairs is merged."""

    lex = "lex"
    first = "first"
    hf = "hf"
    sentencepiece = "sentencepiece"


class Alphabet(Enum):
    """What the characters of words are."""

    char = "char"
    byte = "byte"


class SuffixStyle(Enum):
    """Where the mark at the end of a word goes."""

    attached = "attached"
    separate = "separate"


@dataclass(frozen=True)
class TrainerOptions:
    """The settings of a training. None stands for what was not given, where models differ."""

    model: Annotated[ModelName, typer.Option(help="What is trained.")] = ModelName.wordpiece
    vocab_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="The entries to reach; special tokens, user-defined symbols and alphabet included. WordPiece and Unigram need it.",
            show_default=False,
        ),
    ] = None
    criterion: Annotated[
        Criterion | None,
        typer.Option(help="WordPiece: what makes a pair good; likelihood by default."),
    ] = None
    min_frequency: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Pairs that occur less often are not merged, 1 by default; Unigram: strings that occur less often are not "
            "begun with, 2 by default.",
        ),
    ] = None
    min_word_frequency: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Words that occur less often are left out, but for user-defined symbols.",
        ),
    ] = 1
    max_merges: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Stop after so many merges.")
    ] = None
    stop_at_pair_frequency: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, help="Stop when the most frequent pair occurs at most so often."
        ),
    ] = None
    stop_without_gain: Annotated[
        bool,
        typer.Option(
            "--stop-without-gain",
            help="WordPiece: stop before a merge that would not raise the likelihood.",
        ),
    ] = False
    ties: Annotated[
        Ties | None,
        typer.Option(
            help="Among equally good pairs: the first by bytes, by first occurrence, or by ids; BPE: hf learns just what "
            "tokenizers does, sentencepiece takes the shorter token first, then by bytes. lex by default."
        ),
    ] = None
    special_tokens: Annotated[
        list[str] | None,
        typer.Option(
            "--special-tokens",
            metavar="TOKEN",
            help="A special token; give it again for each, or '' for none. By default for "
            "WordPiece [PAD] [UNK] [CLS] [SEP] [MASK], for BPE the --unk-token alone, and for Unigram <unk> <s> </s>.",
        ),
    ] = None
    special_tokens_first: Annotated[
        bool,
        typer.Option(
            "--special-tokens-first/--special-tokens-last",
            help="Whether they have the first ids, or the last.",
        ),
    ] = True
    user_defined_symbols: Annotated[
        list[str] | None,
        typer.Option(
            "--user-defined-symbol",
            metavar="WORD",
            help="A whole word to have as an entry, as it is after normalization; give it again for each.",
        ),
    ] = None
    initial_alphabet: Annotated[
        str,
        typer.Option(
            metavar="CHARACTERS", help="Characters to have even if never seen.", show_default=False
        ),
    ] = ""
    limit_alphabet: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Keep so many characters, the most frequent."),
    ] = None
    alphabet: Annotated[
        Alphabet | None,
        typer.Option(
            help="BPE: the characters that occur, or all that stand for bytes; char by default."
        ),
    ] = None
    continuing_subword_prefix: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="What marks a token inside a word; may be empty. By default ## for WordPiece, nothing for BPE.",
        ),
    ] = None
    end_of_word_suffix: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="BPE: what marks a token at the end of a word, such as </w>."
        ),
    ] = None
    suffix_style: Annotated[
        SuffixStyle | None,
        typer.Option(
            help="BPE: whether that is attached to the last character, or a symbol of its own; attached by default."
        ),
    ] = None
    max_token_length: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="No longer tokens, in characters without prefix and suffix.",
        ),
    ] = None
    prune_unused: Annotated[
        bool,
        typer.Option(
            "--prune-unused",
            help="WordPiece: drop tokens that the training words never use, and learn others.",
        ),
    ] = False

    unk_token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            help="BPE and Unigram: the special token for unknown characters; '' for none. <unk> by default; for BPE none "
            "with --alphabet byte or --ties hf.",
        ),
    ] = None
    seed_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Unigram: the most strings to begin with, beside the characters; 1,000,000 by default.",
        ),
    ] = None
    shrinking_factor: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Unigram: the share of the pieces that a round leaves; 0.75 by default.",
        ),
    ] = None
    em_steps: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Unigram: the steps of EM in each round; 1 by default."
        ),
    ] = None
    max_piece_length: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Unigram: no longer pieces, in characters; 16 by default."
        ),
    ] = None
    byte_fallback: Annotated[
        bool,
        typer.Option(
            "--byte-fallback",
            help="Unigram: the 256 bytes are entries, which spell what is unknown.",
        ),
    ] = False
    character_coverage: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Unigram: keep the most frequent characters that make up this share of the text; 0.9995 by default.",
        ),
    ] = None
    required_chars: Annotated[
        str,
        typer.Option(
            metavar="CHARACTERS",
            help="Unigram: characters to keep even if never seen.",
            show_default=False,
        ),
    ] = ""
    split_by_unicode_script: Annotated[
        bool | None,
        typer.Option(
            "--split-by-unicode-script/--no-split-by-unicode-script",
            help="Unigram: no piece has characters of two scripts; so by default.",
        ),
    ] = None
    split_by_number: Annotated[
        bool | None,
        typer.Option(
            "--split-by-number/--no-split-by-number",
            help="Unigram: nor digits beside letters; so by default.",
        ),
    ] = None
    split_digits: Annotated[
        bool, typer.Option("--split-digits", help="Unigram: a digit is a piece by itself.")
    ] = False
    split_by_whitespace: Annotated[
        bool | None,
        typer.Option(
            "--split-by-whitespace/--no-split-by-whitespace",
            help="Unigram: white space stands only at the front of a piece; so by default.",
        ),
    ] = None
    allow_whitespace_only_pieces: Annotated[
        bool,
        typer.Option(
            "--allow-whitespace-only-pieces", help="Unigram: runs of white space are pieces, too."
        ),
    ] = False
    treat_whitespace_as_suffix: Annotated[
        bool,
        typer.Option(
            "--treat-whitespace-as-suffix",
            help="Unigram: white space ends words and pieces, in place of beginning them.",
        ),
    ] = False

    def trainer(self, more_symbols: Sequence[str] = ()) -> Trainer:
        """Give the trainer; `more_symbols` come after those that the options name."""
        from piecework import BpeTrainer, UnigramTrainer, WordPieceTrainer

        kinds: dict[ModelName, type[Trainer]] = {
            ModelName.wordpiece: WordPieceTrainer,
            ModelName.bpe: BpeTrainer,
            ModelName.unigram: UnigramTrainer,
        }
        kind = kinds[self.model]
        settings = self._given() | {
            "user_defined_symbols": [*(self.user_defined_symbols or ()), *more_symbols]
        }
        known = {field.name for field in fields(kind)}  # type: ignore[arg-type]  # trainers are dataclasses
        for name in settings.keys() - known:
            option = f"--{name.replace('_', '-')}"
            message = f"{option} says nothing with --model {self.model.value}"
            raise typer.BadParameter(message, param_hint=option)
        if kind is not BpeTrainer and self.vocab_size is None:
            message = f"--model {self.model.value} needs it"
            raise typer.BadParameter(message, param_hint="--vocab-size")
        return kind(**settings)

    def _given(self) -> dict[str, Any]:
        """What was asked for, and what all trainers have."""
        flags = {field.name for field in fields(self) if field.default in (False, "")}
        settings: dict[str, Any] = {
            name: value.value if isinstance(value, Enum) else value
            for name, value in asdict(self).items()
            if name != "model" and value is not None and (value or name not in flags)
        }
        for token in self.special_tokens or ():
            _warn_of_comma(token)
        if self.special_tokens == [""]:
            settings["special_tokens"] = []
        if self.unk_token == "":
            settings["unk_token"] = None
        return settings


def _warn_of_comma(token: str) -> None:
    """Warn of a special token that seems to be several."""
    parts = [part.strip() for part in token.split(",") if part.strip()]
    if "," in token and parts:
        several = " ".join(f"--special-tokens {quote(part)}" for part in parts)
        warn(
            f"--special-tokens: {cut(token)} is one special token with a comma in it; for several give the option again "
            f"for each: {several}"
        )


def train(
    *,
    files: TextFiles = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The tokenizer.json to write.",
            show_default=False,
        ),
    ],
    trainer: TrainerOptions,
    user_defined_symbols_file: Annotated[
        str | None,
        typer.Option(
            "--user-defined-symbols-file",
            metavar="FILE",
            help="More of them, one a line, UTF-8; - is standard input. Empty lines are passed over.",
            show_default=False,
        ),
    ] = None,
    vocab_txt: Annotated[
        Path | None, typer.Option("--vocab-txt", metavar="FILE", help="Write a vocab.txt too.")
    ] = None,
    counts: Annotated[
        bool,
        typer.Option(
            "--counts", help="The files are word counts, from count-words; they are added up."
        ),
    ] = False,
    trace: Annotated[
        bool,
        typer.Option("--trace", help="Print the merges, or the rounds of Unigram, one a line."),
    ] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print a summary as JSON; with --trace the merges or rounds, an object a line.",
        ),
    ] = False,
    splitting: Splitting,
    encoding: FileEncoding = "utf-8",
    errors: OnBrokenBytes = Errors.strict,
    threads: Threads = None,
    no_progress: NoProgress = False,
) -> None:
    """Train a tokenizer on text files: WordPiece, BPE, or Unigram.

    Each line is a document; for BPE its end belongs to it. Text is split as BERT does for WordPiece, for BPE at white
    space, or with --alphabet byte as GPT-2 does, and for Unigram before white space, which is written as ▁. The tokenizer
    keeps its history: `piecework explain` and `inspect` tell by which merges a token was born.

    Examples:
      piecework train story.txt poem.txt -o tokenizer.json --vocab-size 4000
      zcat big.txt.gz | piecework train - -o tokenizer.json --vocab-size 30000 --no-lowercase
      piecework train --counts counts.txt -o tokenizer.json --vocab-size 500 --criterion pmi --trace
      piecework train story.txt -o bytes.json --model bpe --vocab-size 8000 --alphabet byte --split-pattern cl100k
      piecework train story.txt -o unigram.json --model unigram --vocab-size 8000 --byte-fallback
      piecework train zh.txt -o zh.json --vocab-size 8000 --pre-tokenizer jieba --no-handle-chinese-chars
    """
    names = files or [STDIN]
    symbols = [user_defined_symbols_file] if user_defined_symbols_file else []
    inputs = [*names, *symbols, *splitting.files()]
    _check_targets([output, *([vocab_txt] if vocab_txt else [])], inputs)
    _check_name(output.name)
    settings = trainer.trainer(_symbols(user_defined_symbols_file, names))
    with bar(no_progress) as show:
        from piecework import train as run

        how = _with_spaces_behind(settings, splitting.settings())
        table = (
            load_counts(names)
            if counts
            else count_words(
                names,
                splitting=_splitting(settings, how),
                keep_line_ends=trainer.model is ModelName.bpe,
                encoding=encoding,
                errors=errors,
                threads=threads,
                progress=show,
                command="train - -o tokenizer.json",
            )
        )
        tok = run(table, settings, **how, threads=threads, progress=show)
    with printing() as write:
        tok.save(output)
        if vocab_txt:
            tok.save_vocab(vocab_txt)
        if trace:
            history: Sequence[Merge | UnigramStep] = tok.steps or tok.history
            for step, done in enumerate(history, 1):
                write(as_json({"step": step, **asdict(done)}) if json else _line(step, done))
        elif json:
            write(as_json(_summary(tok, table, output)))
    report(_told(tok, table, output, trainer.vocab_size))


def _splitting(trainer: Trainer, given: dict[str, Any]) -> dict[str, Any]:
    """What was asked for, with the trainer's defaults."""
    from piecework.training import splitting_for

    normalizer, pre_tokenizer = splitting_for(trainer, **given)
    return {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer}


def _with_spaces_behind(trainer: Trainer, given: dict[str, Any]) -> dict[str, Any]:
    """What was asked for; rules put spaces behind words, too, where words end with them."""
    from piecework.normalizers import Precompiled, SentencePiece
    from piecework.training import splitting_for

    rules, (own, _) = given.get("normalizer"), splitting_for(trainer)
    if not (isinstance(rules, Precompiled) and isinstance(own, SentencePiece)):
        return given
    return given | {"normalizer": replace(own, precompiled_charsmap=rules.precompiled_charsmap)}


_SYMBOLS_COMMAND = "train FILE -o tokenizer.json --user-defined-symbols-file -"


def _symbols(file: str | None, texts: Sequence[str]) -> list[str]:
    if not file:
        return []
    if file == STDIN and STDIN in texts:
        raise typer.BadParameter(
            "standard input can be read once", param_hint="--user-defined-symbols-file"
        )
    with Input(file, command=_SYMBOLS_COMMAND) as source:
        return list(filter(None, source.lines()))


def _check_targets(targets: Sequence[Path], inputs: Sequence[str]) -> None:
    for target in targets:
        if str(target) == STDIN:
            raise typer.BadParameter("a file is needed: standard output is for --trace and --json")
        check_target(target, *(name for name in inputs if name != STDIN))
    if len({target.resolve() for target in targets}) < len(targets):
        raise typer.BadParameter("the same file as --output", param_hint="--vocab-txt")


def _check_name(output: str) -> None:
    """Refuse a name that says another format, which might not hold what was learned, before time is spent on it."""
    from piecework.formats import format_from_name

    if (kind := format_from_name(output)) != "tokenizer.json":
        message = (
            f"a training is kept in a tokenizer.json, and {output} stands for the format {kind}"
        )
        hint = "write a tokenizer.json, and `piecework convert` it"
        raise typer.BadParameter(f"{message}: {hint}", param_hint="--output")


def _line(step: int, done: Merge | UnigramStep) -> str:
    from piecework import UnigramStep

    return _round(step, done) if isinstance(done, UnigramStep) else _merge(step, done)


def _round(step: int, done: UnigramStep) -> str:
    names = done.removed or ()
    removed = f"removed {len(names)}: {' '.join(map(shown, names[:5]))}"
    more = " ..." if len(names) > 5 else ""
    what = "pruned" if done.log_likelihood is None else f"log-likelihood {done.log_likelihood:.6g}"
    return f"{step}\t{done.pieces} pieces\t{what}\t{removed}{more}".rstrip(": ")


def _merge(step: int, merge: Merge) -> str:
    counts = f"pair {merge.pair_count}, left {merge.left_count}, right {merge.right_count}"
    made = f"{shown(merge.left)} + {shown(merge.right)} -> {shown(merge.token)}"
    return f"{step}\t{made}\tscore {merge.score:.6g}\t{counts}\tties {merge.ties}"


def _summary(tok: Tokenizer, table: WordCounts, output: Path) -> dict[str, Any]:
    return {
        "output": str(output),
        "vocab_size": tok.vocab_size,
        **({"rounds": len(tok.steps)} if tok.steps else {"merges": len(tok.history)}),
        "words": len(table),
        "word_total": table.total,
        "counts_sha256": tok.counts_sha256,
        "trainer": tok.trainer,
    }


def _told(tok: Tokenizer, table: WordCounts, output: Path, wanted: int | None) -> str:
    short = "" if wanted in (None, tok.vocab_size) else f" of {wanted:,} asked for"
    done = f"{len(tok.steps)} rounds" if tok.steps else f"{len(tok.history):,} merges"
    return (
        f"{shown(str(output))}: {tok.vocab_size:,} entries{short}, {done}, "
        f"from {len(table):,} different words, {table.total:,} in all"
    )

"""Implements `piecework train`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from enum import Enum
from pathlib import Path  # noqa: TC003  # typer reads it
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from piecework.cli.counting import count_words, load_counts
from piecework.cli.engine import EngineOptions
from piecework.cli.input import STDIN, Input
from piecework.cli.messages import option_of
from piecework.cli.options import (
    CountingMemory,
    DocumentFiles,
    Errors,
    FileEncoding,
    NoProgress,
    OnBrokenBytes,
    Reading,
    Splitting,
    Threads,
)
from piecework.cli.output import as_json, check_target, printing
from piecework.cli.progress import bar
from piecework.cli.streams import report
from piecework.display import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import Merge, Tokenizer, UnigramStep, WordCounts
    from piecework.trainers import Trainer


class ModelName(Enum):
    """Enumerates the models."""

    wordpiece = "wordpiece"
    bpe = "bpe"
    unigram = "unigram"
    wordlevel = "wordlevel"


class Criterion(Enum):
    """Enumerates the scores of a pair."""

    likelihood = "likelihood"
    pmi = "pmi"
    sum = "sum"
    frequency = "frequency"


class Ties(Enum):
    """Enumerates the orders of pairs of equal score."""

    lex = "lex"
    first = "first"
    hf = "hf"
    sentencepiece = "sentencepiece"


class Alphabet(Enum):
    """Enumerates the alphabets of BPE."""

    char = "char"
    byte = "byte"


class SuffixStyle(Enum):
    """Enumerates the styles of the end-of-word suffix."""

    attached = "attached"
    separate = "separate"


_WORDPIECE, _BPE, _UNIGRAM = "WordPiece options", "BPE options", "Unigram options"
"""The sections of the help with the options of one model."""


@dataclass(frozen=True)
class TrainerOptions:
    """Holds the options of a training; None for the default of the model."""

    section: ClassVar[str] = "Training options"

    model: Annotated[ModelName, typer.Option(help="Train this model.")] = ModelName.wordpiece
    vocab_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Train this number of tokens; special tokens, user-defined symbols and alphabet included (required for "
            "WordPiece, Unigram and WordLevel).",
            show_default=False,
        ),
    ] = None
    criterion: Annotated[
        Criterion | None,
        typer.Option(
            help="Score pairs by this criterion (default: likelihood).", rich_help_panel=_WORDPIECE
        ),
    ] = None
    min_frequency: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Merge only pairs with at least this count (default: 1); for Unigram, use only seed strings with at least this "
            "count (default: 2), and for WordLevel only words.",
        ),
    ] = None
    min_word_frequency: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Ignore words with a lower count, except user-defined symbols.",
        ),
    ] = 1
    max_merges: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Stop after N merges.")
    ] = None
    stop_at_pair_frequency: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Stop when no pair occurs more than N times."),
    ] = None
    stop_without_gain: Annotated[
        bool,
        typer.Option(
            "--stop-without-gain",
            help="Stop before a merge that would not raise the likelihood.",
            rich_help_panel=_WORDPIECE,
        ),
    ] = False
    ties: Annotated[
        Ties | None,
        typer.Option(
            help="Order pairs of equal score by bytes (lex), by first occurrence, by ids (hf; for BPE exactly like tokenizers), "
            "or by length and bytes (sentencepiece; BPE) (default: lex)."
        ),
    ] = None
    special_tokens: Annotated[
        list[str] | None,
        typer.Option(
            "--special-token",
            metavar="TOKEN",
            help="Set a special token; repeat for several, which replace the default ones; '' for none (default: for WordPiece [PAD] [UNK] [CLS] [SEP] [MASK], "
            "for BPE the --unk-token, for Unigram <unk> <s> </s>, for WordLevel [UNK]).",
        ),
    ] = None
    special_tokens_first: Annotated[
        bool,
        typer.Option(
            "--special-tokens-first/--special-tokens-last",
            help="Give special tokens the first ids, or the last.",
        ),
    ] = True
    user_defined_symbols: Annotated[
        list[str] | None,
        typer.Option(
            "--user-defined-symbol",
            metavar="WORD",
            help="Add a whole word, in normalized form, as a token; repeat for several.",
        ),
    ] = None
    initial_alphabet: Annotated[
        str,
        typer.Option(
            metavar="CHARACTERS",
            help="Add these characters even if they never occur.",
            show_default=False,
        ),
    ] = ""
    limit_alphabet: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Keep the N most frequent characters."),
    ] = None
    alphabet: Annotated[
        Alphabet | None,
        typer.Option(
            help="Start from the characters that occur, or from all 256 bytes (default: char).",
            rich_help_panel=_BPE,
        ),
    ] = None
    continuing_subword_prefix: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Set the prefix of tokens that continue a word; may be empty (default: ## for WordPiece, none for BPE).",
        ),
    ] = None
    end_of_word_suffix: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Set the suffix of tokens that end a word, such as </w>.",
            rich_help_panel=_BPE,
        ),
    ] = None
    suffix_style: Annotated[
        SuffixStyle | None,
        typer.Option(
            help="Attach the suffix to the last character, or make it a separate symbol (default: attached).",
            rich_help_panel=_BPE,
        ),
    ] = None
    max_token_length: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Limit tokens to N characters, prefix and suffix excluded.",
        ),
    ] = None
    prune_unused: Annotated[
        bool,
        typer.Option(
            "--prune-unused",
            help="Replace tokens that the encoded training words never contain.",
            rich_help_panel=_WORDPIECE,
        ),
    ] = False

    unk_token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            help="Set the special token for unknown characters or words; '' for none (BPE, Unigram and WordLevel; default: <unk>, for "
            "BPE none with --alphabet byte or --ties hf, for WordLevel [UNK]).",
        ),
    ] = None
    seed_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Start with at most N seed strings, single characters excluded (default: 1,000,000).",
            rich_help_panel=_UNIGRAM,
        ),
    ] = None
    shrinking_factor: Annotated[
        float | None,
        typer.Option(
            metavar="FRACTION",
            help="Keep this fraction of the pieces at each pruning (default: 0.75).",
            rich_help_panel=_UNIGRAM,
        ),
    ] = None
    em_steps: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Run N EM steps before each pruning (default: 1).",
            rich_help_panel=_UNIGRAM,
        ),
    ] = None
    max_piece_length: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Limit pieces to N characters (default: 16).",
            rich_help_panel=_UNIGRAM,
        ),
    ] = None
    byte_fallback: Annotated[
        bool,
        typer.Option(
            "--byte-fallback",
            help="Add the 256 bytes as tokens, which encode unknown characters.",
            rich_help_panel=_UNIGRAM,
        ),
    ] = False
    character_coverage: Annotated[
        float | None,
        typer.Option(
            metavar="FRACTION",
            help="Keep the most frequent characters that cover this fraction of the text (default: 0.9995).",
            rich_help_panel=_UNIGRAM,
        ),
    ] = None
    required_chars: Annotated[
        str,
        typer.Option(
            metavar="CHARACTERS",
            help="Keep these characters even if they never occur.",
            show_default=False,
            rich_help_panel=_UNIGRAM,
        ),
    ] = ""
    split_by_unicode_script: Annotated[
        bool | None,
        typer.Option(
            "--split-by-unicode-script/--no-split-by-unicode-script",
            help="Split pieces where the script changes (default: on).",
            rich_help_panel=_UNIGRAM,
        ),
    ] = None
    split_by_number: Annotated[
        bool | None,
        typer.Option(
            "--split-by-number/--no-split-by-number",
            help="Split pieces between digits and other characters (default: on).",
            rich_help_panel=_UNIGRAM,
        ),
    ] = None
    split_digits: Annotated[
        bool,
        typer.Option("--split-digits", help="Make each digit a piece.", rich_help_panel=_UNIGRAM),
    ] = False
    split_by_whitespace: Annotated[
        bool | None,
        typer.Option(
            "--split-by-whitespace/--no-split-by-whitespace",
            help="Allow white space only at the start of a piece (default: on).",
            rich_help_panel=_UNIGRAM,
        ),
    ] = None
    allow_whitespace_only_pieces: Annotated[
        bool,
        typer.Option(
            "--allow-whitespace-only-pieces",
            help="Allow pieces of several spaces.",
            rich_help_panel=_UNIGRAM,
        ),
    ] = False
    treat_whitespace_as_suffix: Annotated[
        bool,
        typer.Option(
            "--treat-whitespace-as-suffix",
            help="Put white space at the end of words and pieces instead of the start.",
            rich_help_panel=_UNIGRAM,
        ),
    ] = False

    def trainer(self, more_symbols: Sequence[str] = ()) -> Trainer:
        """Returns the trainer; `more_symbols` follow the user-defined symbols of the options."""
        from piecework import BpeTrainer, UnigramTrainer, WordLevelTrainer, WordPieceTrainer

        kinds: dict[ModelName, type[Trainer]] = {
            ModelName.wordpiece: WordPieceTrainer,
            ModelName.bpe: BpeTrainer,
            ModelName.unigram: UnigramTrainer,
            ModelName.wordlevel: WordLevelTrainer,
        }
        kind = kinds[self.model]
        settings = self._given()
        if symbols := [*(self.user_defined_symbols or ()), *more_symbols]:
            settings["user_defined_symbols"] = symbols
        known = {field.name for field in fields(kind)}  # type: ignore[arg-type]  # trainers are dataclasses
        defaults = {field.name: field.default for field in fields(self)}
        for name in sorted(settings.keys() - known):
            if settings[name] == defaults[name]:
                del settings[name]
                continue
            message = f"has no effect with --model {self.model.value}; remove it"
            # An option that is repeated has its name in the singular.
            shown = name.removesuffix("s") if isinstance(settings[name], list) else name
            raise typer.BadParameter(message, param_hint=option_of(shown))
        if kind is not BpeTrainer and self.vocab_size is None:
            message = f"required with --model {self.model.value}"
            raise typer.BadParameter(message, param_hint="--vocab-size")
        return kind(**settings)

    def _given(self) -> dict[str, Any]:
        """Returns the given options, and those that all trainers have."""
        flags = {field.name for field in fields(self) if field.default in (False, "")}
        settings: dict[str, Any] = {
            name: value.value if isinstance(value, Enum) else value
            for name, value in asdict(self).items()
            if name != "model" and value is not None and (value or name not in flags)
        }
        if self.special_tokens == [""]:
            settings["special_tokens"] = []
        if self.unk_token == "":
            settings["unk_token"] = None
        return settings


def train(
    *,
    files: DocumentFiles = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the tokenizer.json to this file.",
            show_default=False,
        ),
    ],
    trainer: TrainerOptions,
    user_defined_symbols_file: Annotated[
        str | None,
        typer.Option(
            "--user-defined-symbols-file",
            metavar="FILE",
            help="Add the words of this file like --user-defined-symbol: UTF-8, one per line; empty lines are ignored; - is "
            "standard input.",
            show_default=False,
        ),
    ] = None,
    vocab_txt: Annotated[
        Path | None, typer.Option("--vocab-txt", metavar="FILE", help="Write a vocab.txt too.")
    ] = None,
    counts: Annotated[
        bool,
        typer.Option("--counts", help="Read FILEs as word counts of count-words, and add them up."),
    ] = False,
    trace: Annotated[
        bool,
        typer.Option("--trace", help="Print the merges, or the steps of Unigram, one per line."),
    ] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print a summary as JSON; with --trace print one JSON object per merge or step.",
        ),
    ] = False,
    splitting: Splitting,
    reading: Reading,
    encoding: FileEncoding = "utf-8",
    errors: OnBrokenBytes = Errors.strict,
    memory: CountingMemory,
    engine: EngineOptions,
    threads: Threads = None,
    no_progress: NoProgress = False,
) -> None:
    """Train a WordPiece, BPE, Unigram or WordLevel tokenizer on text files, JSON lines or Parquet.

    Each line of text is a document; for BPE it includes its line end. By default text is split like BERT for WordPiece, at white
    space for BPE, like GPT-2 for BPE with --alphabet byte, and before white space, written as ▁, for Unigram. The
    tokenizer keeps its history, which `piecework explain` and `inspect` show.

    Examples:
      piecework train story.txt poem.txt -o tokenizer.json --vocab-size 4000
      piecework train big.txt.gz -o tokenizer.json --vocab-size 30000 --no-lowercase
      piecework train "corpus/**/*.parquet" --column content -o tokenizer.json --vocab-size 30000
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
    if counts and memory.max_memory:
        message = "has no effect with --counts, which counts no words; remove it"
        raise typer.BadParameter(message, param_hint="--max-memory")
    if counts and engine.chosen():
        message = "has no effect with --counts, which counts no words; remove it"
        raise typer.BadParameter(message, param_hint="--engine")
    settings = trainer.trainer(_symbols(user_defined_symbols_file, names, errors))
    with bar(no_progress) as show:
        from piecework import train as run

        pipeline = _with_suffix_spaces(settings, splitting.settings())
        table = (
            load_counts(names, memory.work_dir)
            if counts
            else count_words(
                names,
                splitting=_splitting(settings, pipeline),
                reading=reading.options(
                    errors, encoding, keep_line_ends=trainer.model is ModelName.bpe
                ),
                memory=memory,
                engine=engine,
                threads=threads,
                progress=show,
                command="train - -o tokenizer.json",
            ).table()
        )
        tok = run(table, settings, **pipeline, threads=threads, progress=show)
    with printing() as write:
        if vocab_txt:  # first, since a token may have no place in a vocab.txt
            tok.save(vocab_txt, "vocab.txt")
        tok.save(output)
        if trace:
            history: Sequence[Merge | UnigramStep] = tok.training.steps or tok.history
            for number, step in enumerate(history, 1):
                write(as_json({"step": number, **asdict(step)}) if json else _line(number, step))
        elif json:
            write(as_json(_summary(tok, table, output)))
    report(_summary_line(tok, table, output, trainer.vocab_size))


def _splitting(trainer: Trainer, given: dict[str, Any]) -> dict[str, Any]:
    """Returns the given normalizer and pre-tokenizer, with the trainer's defaults."""
    from piecework.training import splitting_for

    normalizer, pre_tokenizer = splitting_for(trainer, **given)
    return {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer}


def _with_suffix_spaces(trainer: Trainer, given: dict[str, Any]) -> dict[str, Any]:
    """Returns the given settings; SentencePiece's rules also append spaces if the trainer treats them as suffix."""
    from piecework.normalizers import Precompiled, SentencePiece
    from piecework.training import splitting_for

    rules, (own, _) = given.get("normalizer"), splitting_for(trainer)
    if not (isinstance(rules, Precompiled) and isinstance(own, SentencePiece)):
        return given
    return given | {"normalizer": replace(own, precompiled_charsmap=rules.precompiled_charsmap)}


_SYMBOLS_COMMAND = "train FILE -o tokenizer.json --user-defined-symbols-file -"


def _symbols(file: str | None, texts: Sequence[str], errors: Errors) -> list[str]:
    if not file:
        return []
    if file == STDIN and STDIN in texts:
        raise typer.BadParameter(
            "standard input can be read only once", param_hint="--user-defined-symbols-file"
        )
    with Input(file, errors.value, _SYMBOLS_COMMAND) as source:
        return list(filter(None, source.lines()))


def _check_targets(targets: Sequence[Path], inputs: Sequence[str]) -> None:
    for target in targets:
        if str(target) == STDIN:
            raise typer.BadParameter(
                "expected a file, found -; standard output is for --trace and --json",
                param_hint="--output" if target is targets[0] else "--vocab-txt",
            )
        check_target(target, *(name for name in inputs if name != STDIN))
    if len({target.resolve() for target in targets}) < len(targets):
        raise typer.BadParameter(
            "expected another file than that of --output", param_hint="--vocab-txt"
        )


def _check_name(output: str) -> None:
    """Raises BadParameter for a name of another format, which may lose data, before the training starts."""
    from piecework.formats.detect import format_from_name

    if (kind := format_from_name(output)) != "tokenizer.json":
        raise typer.BadParameter(
            f"expected a name for a tokenizer.json, found {output}, a name for the format {kind}; write a tokenizer.json, then "
            "run `piecework convert`",
            param_hint="--output",
        )


def _line(number: int, step: Merge | UnigramStep) -> str:
    from piecework import UnigramStep

    if isinstance(step, UnigramStep):
        return _unigram_line(number, step)
    return _merge_line(number, step)


def _unigram_line(number: int, step: UnigramStep) -> str:
    names = step.removed or ()
    removed = f"removed {len(names)}: {' '.join(map(visible, names[:5]))}"
    more = " ..." if len(names) > 5 else ""
    kind = "pruned" if step.log_likelihood is None else f"log-likelihood {step.log_likelihood:.6g}"
    return f"{number}\t{step.pieces} pieces\t{kind}\t{removed}{more}".rstrip(": ")


def _merge_line(number: int, merge: Merge) -> str:
    counts = f"pair {merge.pair_count}, left {merge.left_count}, right {merge.right_count}"
    equation = f"{visible(merge.left)} + {visible(merge.right)} -> {visible(merge.token)}"
    return f"{number}\t{equation}\tscore {merge.score:.6g}\t{counts}\tties {merge.ties}"


def _summary(tok: Tokenizer, table: WordCounts, output: Path) -> dict[str, Any]:
    return {
        "output": str(output),
        "vocab_size": tok.vocab_size,
        **(
            {"steps": len(tok.training.steps)}
            if tok.training.steps
            else {"merges": len(tok.history)}
        ),
        "words": len(table),
        "word_total": table.total,
        "counts_sha256": tok.training.counts_sha256,
        "trainer": tok.training.trainer,
    }


def _summary_line(tok: Tokenizer, table: WordCounts, output: Path, vocab_size: int | None) -> str:
    requested = "" if vocab_size in (None, tok.vocab_size) else f" of {vocab_size:,} requested"
    length = (
        f"{len(tok.training.steps)} steps" if tok.training.steps else f"{len(tok.history):,} merges"
    )
    return (
        f"{visible(str(output))}: {tok.vocab_size:,} tokens{requested}, {length}, "
        f"from {len(table):,} different words, {table.total:,} in total"
    )

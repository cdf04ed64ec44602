"""Defines the options of a training, shared by the verbs that train."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

from piecework._settings.choices import Alphabet, BpeTies, Criterion, SuffixStyle  # noqa: TC001  # read at run time
from piecework.cli.declare import Option, given_of
from piecework.cli.input import STDIN, words_of
from piecework.cli.messages import OptionError, option_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import Tokenizer
    from piecework.cli.options import Splitting
    from piecework.trainers import Trainer

UserDefinedSymbolsFile = Annotated[
    str | None,
    Option(
        metavar="FILE",
        help="Add the words of this file like --user-defined-symbol: UTF-8, one per line; empty lines are ignored; - is "
        "standard input.",
    ),
]
LikeTokenizer = Annotated[
    str | None,
    Option(
        metavar="TOKENIZER",
        help="Take the normalizer, pre-tokenizer, special tokens and all else but the vocabulary from this tokenizer file or "
        "model folder.",
    ),
]

ModelName = Literal["wordpiece", "bpe", "unigram", "wordlevel"]
"""The models."""


_DEFAULT_MODEL: ModelName = "wordpiece"


@dataclass(frozen=True)
class TrainerOptions:
    """Holds the options of a training; None for the default of the model.

    Options:
        model: Train this model.
        vocab_size: Train this number of tokens; special tokens, user-defined symbols and alphabet included (required for
            WordPiece, Unigram and WordLevel).
        min_frequency: Merge only pairs with at least this count (default: 1); for Unigram, use only seed strings with at least
            this count (default: 2), and for WordLevel only words.
        min_word_frequency: Ignore words with a lower count, except user-defined symbols.
        max_merges: Stop after N merges.
        stop_at_pair_frequency: Stop when no pair occurs more than N times.
        ties: Order pairs of equal score by bytes (lex), by first occurrence, by ids (hf; for BPE exactly like tokenizers), or
            by length and bytes (sentencepiece; BPE) (default: lex).
        special_tokens: Set a special token; repeat for several, which replace the default ones; '' for none (default: for
            WordPiece [PAD] [UNK] [CLS] [SEP] [MASK], for BPE the --unk-token, for Unigram <unk> <s> </s>, for WordLevel
            [UNK]).
        special_tokens_first: Give special tokens the first ids, or the last (default: first).
        user_defined_symbols: Add a whole word, in normalized form, as a token; repeat for several.
        initial_alphabet: Add these characters even if they never occur.
        limit_alphabet: Keep the N most frequent characters.
        continuing_subword_prefix: Set the prefix of tokens that continue a word; may be empty (default: ## for WordPiece, none
            for BPE).
        max_token_length: Limit tokens to N characters, prefix and suffix excluded.
        unk_token: Set the special token for unknown characters or words; '' for none (BPE, Unigram and WordLevel; default:
            <unk>, for BPE none with --alphabet byte or --ties hf, for WordLevel [UNK]).

    WordPiece options:
        criterion: Score pairs by this criterion (default: likelihood).
        stop_without_gain: Stop before a merge that would not raise the likelihood.
        prune_unused: Replace tokens that the encoded training words never contain.

    BPE options:
        alphabet: Start from the characters that occur, or from all 256 bytes (default: char).
        end_of_word_suffix: Set the suffix of tokens that end a word, such as </w>.
        suffix_style: Attach the suffix to the last character, or make it a separate symbol (default: attached).

    Unigram options:
        seed_size: Start with at most N seed strings, single characters excluded (default: 1,000,000).
        shrinking_factor: Keep this fraction of the pieces at each pruning (default: 0.75).
        em_steps: Run N EM steps before each pruning (default: 1).
        max_piece_length: Limit pieces to N characters (default: 16).
        byte_fallback: Add the 256 bytes as tokens, which encode unknown characters.
        character_coverage: Keep the most frequent characters that cover this fraction of the text (default: 0.9995).
        required_chars: Keep these characters even if they never occur.
        split_by_unicode_script: Split pieces where the script changes (default: on).
        split_by_number: Split pieces between digits and other characters (default: on).
        split_digits: Make each digit a piece.
        split_by_whitespace: Allow white space only at the start of a piece (default: on).
        allow_whitespace_only_pieces: Allow pieces of several spaces.
        treat_whitespace_as_suffix: Put white space at the end of words and pieces instead of the start.
    """

    section: ClassVar[str] = "Training options"

    model: ModelName = _DEFAULT_MODEL
    vocab_size: Annotated[int | None, Option(min=1)] = None
    criterion: Criterion | None = None
    min_frequency: Annotated[int | None, Option(min=1)] = None
    min_word_frequency: Annotated[int, Option(min=1)] = 1
    max_merges: Annotated[int | None, Option(min=0)] = None
    stop_at_pair_frequency: Annotated[int | None, Option(min=0)] = None
    stop_without_gain: bool = False
    ties: BpeTies | None = None
    special_tokens: Annotated[list[str] | None, Option(metavar="TOKEN")] = None
    special_tokens_first: Annotated[
        bool | None, Option("--special-tokens-first/--special-tokens-last")
    ] = None
    user_defined_symbols: Annotated[list[str] | None, Option(metavar="WORD")] = None
    initial_alphabet: Annotated[str, Option(metavar="CHARACTERS")] = ""
    limit_alphabet: Annotated[int | None, Option(min=1)] = None
    alphabet: Alphabet | None = None
    continuing_subword_prefix: str | None = None
    end_of_word_suffix: str | None = None
    suffix_style: SuffixStyle | None = None
    max_token_length: Annotated[int | None, Option(min=1)] = None
    prune_unused: bool = False

    unk_token: Annotated[str | None, Option(metavar="TOKEN")] = None
    seed_size: Annotated[int | None, Option(min=0)] = None
    shrinking_factor: Annotated[float | None, Option(metavar="FRACTION")] = None
    em_steps: Annotated[int | None, Option(min=1)] = None
    max_piece_length: Annotated[int | None, Option(min=1)] = None
    byte_fallback: bool = False
    character_coverage: Annotated[float | None, Option(metavar="FRACTION")] = None
    required_chars: Annotated[str, Option(metavar="CHARACTERS")] = ""
    split_by_unicode_script: bool | None = None
    split_by_number: bool | None = None
    split_digits: bool = False
    split_by_whitespace: bool | None = None
    allow_whitespace_only_pieces: bool = False
    treat_whitespace_as_suffix: bool = False

    def trainer(self, more_symbols: Sequence[str] = ()) -> Trainer:
        """Returns the trainer; `more_symbols` follow the user-defined symbols of the options."""
        from piecework import BpeTrainer

        kind = self._kind()
        settings = self._given(kind, f"--model {self.model}", more_symbols)
        if kind is not BpeTrainer and self.vocab_size is None:
            raise OptionError("--vocab-size", f"required with --model {self.model}")
        return kind(**settings)

    def like(self, tok: Tokenizer, more_symbols: Sequence[str] = ()) -> Trainer:
        """Returns the trainer of a new vocabulary for the pipeline of a tokenizer, by default of its size."""
        model = cast("ModelName", tok.model_type.lower())
        if self.model not in {_DEFAULT_MODEL, model}:
            raise OptionError("--model", f"the tokenizer of --like has a {tok.model_type} model")
        size = self.vocab_size or tok.vocab_size
        return replace(self, model=model, vocab_size=size).trainer(more_symbols)

    def change(self, trainer: Trainer, source: str, more_symbols: Sequence[str] = ()) -> Trainer:
        """Returns a trainer with the given options; `source` names the trainer in errors."""
        if self.model != _DEFAULT_MODEL and not isinstance(trainer, self._kind()):
            raise OptionError("--model", f"has no effect with {source}; remove it")
        given = self._given(type(trainer), source, more_symbols)
        return replace(trainer, **given)  # type: ignore[type-var]  # trainers are dataclasses

    def _kind(self) -> type[Trainer]:
        """Returns the type of the trainer of the model."""
        from piecework import BpeTrainer, UnigramTrainer, WordLevelTrainer, WordPieceTrainer

        kinds: dict[ModelName, type[Trainer]] = {
            "wordpiece": WordPieceTrainer,
            "bpe": BpeTrainer,
            "unigram": UnigramTrainer,
            "wordlevel": WordLevelTrainer,
        }
        return kinds[self.model]

    def _given(
        self, kind: type[Trainer], source: str, more_symbols: Sequence[str]
    ) -> dict[str, Any]:
        """Returns the options that differ from their defaults, which are those of the trainers.

        Raises:
            OptionError: The kind of trainer does not have one of them.
        """
        given = given_of(self)
        given.pop("model", None)
        if symbols := [*(self.user_defined_symbols or ()), *more_symbols]:
            given["user_defined_symbols"] = symbols
        known = {field.name for field in fields(kind)}  # type: ignore[arg-type]  # trainers are dataclasses
        for name in sorted(given.keys() - known):
            option = option_of(name, repeats=isinstance(given[name], list))
            raise OptionError(option, f"has no effect with {source}; remove it")
        if self.special_tokens == [""]:
            given["special_tokens"] = []
        if self.unk_token == "":
            given["unk_token"] = None
        return given


def pipeline_of(
    trainer: Trainer, splitting: Splitting, like: Tokenizer | None = None
) -> dict[str, Any]:
    """Returns the given normalizer and pre-tokenizer as arguments of a training.

    SentencePiece's rules also append spaces if the trainer treats them as suffix, and its normalizer keeps the symbols of the
    trainer.

    Args:
        trainer: The settings of the training.
        splitting: The options of normalizer and pre-tokenizer.
        like: The tokenizer whose pipeline is kept, so that there may be none of these options.
    """
    from piecework.corpus._splitting import splitting_for
    from piecework.normalizers import Precompiled, SentencePiece

    given = splitting.settings()
    if like is not None and given:
        message = f"the {' and the '.join(given)} are those of this tokenizer; remove their options"
        raise OptionError("--like", message.replace("_", "-"))
    rules, (own, _) = given.get("normalizer"), splitting_for(trainer)
    if isinstance(rules, Precompiled) and isinstance(own, SentencePiece):
        given["normalizer"] = replace(own, precompiled_charsmap=rules.precompiled_charsmap)
    elif isinstance(rules, SentencePiece):
        given["normalizer"] = replace(
            rules,
            treat_whitespace_as_suffix=isinstance(own, SentencePiece),
            user_defined_symbols=trainer.user_defined_symbols,
        )
    return given


def read_symbols(file: str | None, texts: Sequence[str]) -> list[str]:
    """Returns the words of a file of user-defined symbols; none without file.

    Args:
        file: The file, or None.
        texts: The files of documents; only one of all can be standard input.
    """
    if not file:
        return []
    if file == STDIN and STDIN in texts:
        raise OptionError("--user-defined-symbols-file", "standard input can be read only once")
    return words_of(file)

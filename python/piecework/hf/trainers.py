"""Defines trainers, the settings of a training.

>>> from piecework.hf import Tokenizer, models, pre_tokenizers, trainers
>>> tok = Tokenizer(models.BPE())
>>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
>>> tok.train_from_iterator(["hug hugs"] * 5, trainers.BpeTrainer(vocab_size=6, show_progress=False))
>>> tok.encode("hugs").tokens
['hug', 's']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from piecework._messages import shown as _shortened
from piecework.hf import _added_tokens, _arguments, _declared, _repr, _state
from piecework.hf._arguments import flag as _flag, unsigned as _unsigned
from piecework.hf._declared import Kind as _Kind, setting as _setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from piecework.hf._tokenizer import Tokenizer

__all__ = [
    "BpeTrainer",
    "ParityBpeTrainer",
    "Trainer",
    "UnigramTrainer",
    "WordLevelTrainer",
    "WordPieceTrainer",
]

_Tokens = list[str | _added_tokens.AddedToken]
_FORMATS = {"indicatif": "Indicatif", "json": "JsonLines", "silent": "Silent"}


def _special(tokens: Any) -> list[dict[str, Any]]:
    """Returns special tokens as JSON."""
    flags = _added_tokens.checked_flags(tokens, special=True, name="special_tokens")
    return [_added_tokens.AddedToken._of(each).__getstate__() for each in flags]


def _characters(characters: Iterable[str]) -> list[str]:
    """Returns characters, sorted."""
    return sorted({_arguments.character(text) for text in characters})


def _alphabet(characters: Iterable[str]) -> list[str]:
    """Returns the first character of each text, sorted."""
    return sorted({_arguments.string(text)[0] for text in characters if text})


def _or_empty(check: Callable[[Any], list[Any]]) -> Callable[[Any], list[Any]]:
    """Returns the check of an argument that is an empty list by default."""
    return lambda value: [] if value is None else check(value)


def _added_token(state: dict[str, Any]) -> _added_tokens.AddedToken:
    """Returns the added token with the flags in `state`."""
    token = _added_tokens.AddedToken()
    token.__setstate__(state)
    return token


_SPECIAL = _Kind(_special, lambda states: list(map(_added_token, states)), _or_empty(_special))
_CHARACTERS = _Kind(_characters, list, _or_empty(_characters))
_ALPHABET = _Kind(_characters, list, _or_empty(_alphabet))


class Trainer(_declared.DeclaredSettings):
    """Serves as the base of all trainers."""

    __slots__ = ("_word_count",)
    _kind = "Trainer"
    _trains: ClassVar[str]
    """The type of the models that it trains."""
    _own: ClassVar[tuple[str, ...]] = ()
    """The settings of piecework, which `tokenizers` does not have."""

    def __init__(self) -> None:
        """Refuses to create the base class."""
        raise TypeError("cannot create 'Trainer' instances; create one of its subclasses")

    def _record(self, word_count: int) -> None:
        """Takes the number of different words of a training."""
        self._word_count = word_count

    def _state(self) -> dict[str, Any]:
        """Returns the settings with the names of `tokenizers`."""
        settings = {name: value for name, value in self._values.items() if name not in self._own}
        return settings | {"words": {}}

    def __getstate__(self) -> bytes:
        """Returns the settings as JSON."""
        own = {n: self._values[n] for n in self._own if self._values.get(n) is not None}
        state = {type(self).__name__: self._state()} | ({"piecework": own} if own else {})
        return _state.dumps(state).encode()

    def __setstate__(self, state: bytes) -> None:
        """Takes JSON that `__getstate__` returned."""
        name, read = type(self).__name__, _state.loads(state)
        settings = read.get(name) if isinstance(read, dict) else None
        if not isinstance(settings, dict):
            raise ValueError(f"expected the state of a {name}, found {_shortened(read)}")
        own = read.get("piecework", {})
        settings = settings.get("bpe_trainer", settings)
        settings.pop("words", None)
        self._values = dict.fromkeys(self._own) | settings | own

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the settings."""
        return _state._new, (type(self),), self.__getstate__()

    def _text(self, limit: int) -> str:
        name = type(self).__name__
        state = self._state()
        for owner in (state, state.get("bpe_trainer", {})):
            if tokens := owner.get("special_tokens"):
                owner["special_tokens"] = [{"AddedToken": token} for token in tokens]
        return f"{name}({_repr.describe({name: state}, limit)})"


def _own_trainer(trainer: object) -> Trainer:
    """Returns a trainer as one of ours: itself, or one with the settings of a trainer of `tokenizers`."""
    if _arguments.is_of_tokenizers(trainer):
        kinds = {kind.__name__: kind for kind in Trainer.__subclasses__()}
        if kind := kinds.get(type(trainer).__name__):
            converted = _state._new(kind)
            converted.__setstate__(trainer.__getstate__())  # type: ignore[arg-type]  # JSON in bytes
            return converted
    if not isinstance(trainer, Trainer):
        raise TypeError(f"{type(trainer).__name__!r} object is not an instance of 'Trainer'")
    return trainer


def _format(value: Any) -> str:
    """Returns the name in JSON of how progress is shown."""
    if value not in _FORMATS:
        raise ValueError(
            f"expected one of {', '.join(_FORMATS)} as progress_format, found {_shortened(value)}"
        )
    return _FORMATS[value]


_FORMAT = _Kind(_format, {member: name for name, member in _FORMATS.items()}.get)
_optional = _arguments.maybe(_arguments.string)
_limit = _arguments.maybe(_arguments.unsigned)


class BpeTrainer(Trainer, kw_only=True):
    """Holds the settings of a BPE training.

    Args:
        vocab_size: The number of tokens, with special tokens and alphabet.
        min_frequency: The minimum count of a pair to merge.
        show_progress: Whether progress is shown on a terminal.
        special_tokens: The special tokens, as texts or :class:`piecework.hf.AddedToken`.
        limit_alphabet: The number of characters to keep, most frequent first.
        initial_alphabet: Characters that become tokens even if they never occur.
        continuing_subword_prefix: The prefix of tokens that continue a word.
        end_of_word_suffix: The suffix of tokens that end a word.
        max_token_length: The maximum length of a token in characters.
        progress_format: Kept for files: ``"indicatif"``, ``"json"`` or ``"silent"``.

    >>> from piecework.hf.trainers import BpeTrainer
    >>> BpeTrainer(special_tokens=["<s>"]).special_tokens[0].special
    True
    """

    _trains = "BPE"
    min_frequency: int = _setting(_unsigned, default=0)
    vocab_size: int = _setting(_unsigned, default=30000)
    show_progress: bool = _setting(_flag, default=True)
    progress_format: str = _setting(_FORMAT, default="indicatif")
    special_tokens: _Tokens = _setting(_SPECIAL, default=None)
    limit_alphabet: int | None = _setting(_limit, default=None)
    initial_alphabet: Iterable[str] = _setting(_ALPHABET, default=None)
    continuing_subword_prefix: str | None = _setting(_optional, default=None)
    end_of_word_suffix: str | None = _setting(_optional, default=None)
    max_token_length: int | None = _setting(_limit, default=None)

    def get_word_count(self) -> int:
        """Returns the number of different words of the last training with this trainer.

        >>> from piecework.hf import Tokenizer, models, pre_tokenizers, trainers
        >>> tok, trainer = Tokenizer(models.BPE()), trainers.BpeTrainer(show_progress=False)
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tok.train_from_iterator(["to be", "to see"], trainer)
        >>> trainer.get_word_count()
        3
        """
        return getattr(self, "_word_count", 0)


def _criterion(value: Any) -> str | None:
    """Returns the score of a pair; :class:`piecework.WordPieceTrainer` has the list."""
    from piecework.trainers import WordPieceTrainer as CoreTrainer

    if value is not None:
        CoreTrainer(vocab_size=1, special_tokens=(), criterion=value)
    name: str | None = value
    return name


class WordPieceTrainer(Trainer, kw_only=True):
    """Holds the settings of a WordPiece training, which merges as BPE does unless a criterion is given.

    Args:
        vocab_size: The number of tokens, with special tokens and alphabet.
        min_frequency: The minimum count of a pair to merge.
        show_progress: Whether progress is shown on a terminal.
        special_tokens: The special tokens, as texts or :class:`piecework.hf.AddedToken`.
        limit_alphabet: The number of characters to keep, most frequent first.
        initial_alphabet: Characters that become tokens even if they never occur.
        continuing_subword_prefix: The prefix of tokens that continue a word.
        end_of_word_suffix: The suffix of tokens that end a word.
        criterion: The score of a pair, such as ``"likelihood"`` (see :class:`piecework.WordPieceTrainer`); None trains as
            `tokenizers` does.

    >>> from piecework.hf.trainers import WordPieceTrainer
    >>> WordPieceTrainer(vocab_size=100, criterion="pmi").criterion
    'pmi'
    """

    _trains = "WordPiece"
    _own = ("criterion",)
    vocab_size: int = _setting(_unsigned, default=30000)
    min_frequency: int = _setting(_unsigned, default=0)
    show_progress: bool = _setting(_flag, default=True)
    special_tokens: _Tokens = _setting(_SPECIAL, default=None)
    limit_alphabet: int | None = _setting(_limit, default=None)
    initial_alphabet: Iterable[str] = _setting(_ALPHABET, default=None)
    continuing_subword_prefix: str | None = _setting(_optional, default="##")
    end_of_word_suffix: str | None = _setting(_optional, default=None)
    criterion: str | None = _setting(_criterion, default=None)

    def _set(self, values: dict[str, Any]) -> None:
        super()._set(BpeTrainer()._values | values)

    def _state(self) -> dict[str, Any]:
        return {"bpe_trainer": super()._state()}


class WordLevelTrainer(Trainer, kw_only=True):
    """Holds the settings of a training of whole words, the most frequent first.

    Args:
        vocab_size: The number of tokens, with special tokens.
        min_frequency: The minimum count of a word.
        show_progress: Whether progress is shown on a terminal.
        special_tokens: The special tokens, as texts or :class:`piecework.hf.AddedToken`.

    >>> from piecework.hf.trainers import WordLevelTrainer
    >>> WordLevelTrainer(min_frequency=2).min_frequency
    2
    """

    _trains = "WordLevel"
    min_frequency: int = _setting(_unsigned, default=0)
    vocab_size: int = _setting(_unsigned, default=30000)
    show_progress: bool = _setting(_flag, default=True)
    special_tokens: _Tokens = _setting(_SPECIAL, default=None)


class UnigramTrainer(Trainer, kw_only=True):
    """Holds the settings of a Unigram training.

    Args:
        vocab_size: The largest number of tokens, with special tokens and alphabet.
        show_progress: Whether progress is shown on a terminal.
        special_tokens: The special tokens, as texts or :class:`piecework.hf.AddedToken`.
        initial_alphabet: Characters that become tokens even if they never occur.
        shrinking_factor: The fraction of the pieces that a pruning keeps.
        unk_token: The token for unknown characters, added if it is not among the special tokens.
        max_piece_length: The maximum length of a token in characters.
        n_sub_iterations: The number of EM steps before each pruning.
        seed_size: The maximum number of strings that the training starts with.

    >>> from piecework.hf.trainers import UnigramTrainer
    >>> UnigramTrainer(vocab_size=100).vocab_size
    100
    """

    _trains = "Unigram"
    show_progress: bool = _setting(_flag, default=True)
    vocab_size: int = _setting(_unsigned, default=8000)
    _n_sub_iterations: int = _setting(_unsigned, default=2, alias="n_sub_iterations")
    _shrinking_factor: float = _setting(float, default=0.75, alias="shrinking_factor")
    special_tokens: _Tokens = _setting(_SPECIAL, default=None)
    initial_alphabet: Iterable[str] = _setting(_ALPHABET, default=None)
    _unk_token: str | None = _setting(_optional, default=None, alias="unk_token")
    _max_piece_length: int = _setting(_unsigned, default=16, alias="max_piece_length")
    _seed_size: int = _setting(_unsigned, default=1000000, alias="seed_size")


def _variant_name(value: Any) -> str:
    """Returns the name of a variant of parity-aware BPE."""
    if _arguments.string(value) not in {"base", "window"}:
        raise ValueError(f"Unknown variant {value!r}. Use 'base' or 'window'.")
    return str(value)


def _ratios(value: Any) -> list[float]:
    """Returns compression rates."""
    if isinstance(value, str) or not hasattr(value, "__getitem__"):
        raise TypeError(f"expected a list of numbers as ratio, found {type(value).__name__!r}")
    return [_arguments.real(rate) for rate in value]


class ParityBpeTrainer(_declared.DeclaredSettings):
    """Trains BPE on several languages, of which the one that is compressed least chooses the next merge.

    Source: Foroutan et al. 2025 (arXiv 2508.04796); section 4.1 of ``spec/bpe.md`` defines the training and its ties. Languages
    are compared by their numbers of tokens, in development texts if there are some, or by compression rates in relation to
    `ratio`. The training runs in Python: a merge costs time linear in the words that contain its pair.

    Args:
        num_merges: The largest number of merges.
        variant: ``"base"``, or ``"window"`` to limit the turns of a language.
        min_frequency: The minimum count of a pair in the language whose turn it is.
        ratio: The wanted compression rate of each language, in relation to the others.
        global_merges: The number of first merges that all languages choose together.
        window_size: The number of latest turns that the limit of ``"window"`` looks at.
        alpha: The share of these turns that a language may have, times the number of languages.
        total_symbols: Whether special tokens and alphabet count as merges.
        special_tokens: The special tokens, as texts or :class:`piecework.hf.AddedToken`.
        show_progress: Kept for files.
        limit_alphabet: The number of characters to keep, most frequent first.
        initial_alphabet: Characters that become tokens even if they never occur.
        continuing_subword_prefix: The prefix of tokens that continue a word.
        end_of_word_suffix: The suffix of tokens that end a word.
        max_token_length: The length in characters that a token of three or more characters must not reach.

    Raises:
        ValueError: `variant` is unknown.

    >>> from piecework.hf import Tokenizer, models, pre_tokenizers, trainers
    >>> tok = Tokenizer(models.BPE())
    >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> trainer = trainers.ParityBpeTrainer(num_merges=3, show_progress=False)
    >>> trainer.train_from_iterator(tok, [["hug hug pug"], ["xyz"]], dev_iterators=[["hug"], ["xyz"]])
    >>> tok.encode("hug xyz").tokens
    ['hug', 'x', 'yz']
    """

    num_merges: int = _setting(_unsigned, default=32000)
    _variant: str = _setting(_variant_name, default="base", alias="variant")
    min_frequency: int = _setting(_unsigned, default=0)
    _ratio: Sequence[float] | None = _setting(
        _arguments.maybe(_ratios), default=None, alias="ratio"
    )
    global_merges: int = _setting(_unsigned, default=0)
    window_size: int = _setting(_unsigned, default=100)
    alpha: float = _setting(_arguments.real, default=2.0)
    total_symbols: bool = _setting(_flag, default=False)
    special_tokens: _Tokens | None = _setting(_SPECIAL, default=None)
    show_progress: bool = _setting(_flag, default=True)
    limit_alphabet: int | None = _setting(_limit, default=None)
    initial_alphabet: Sequence[str] | None = _setting(_CHARACTERS, default=None)
    continuing_subword_prefix: str | None = _setting(_optional, default=None)
    end_of_word_suffix: str | None = _setting(_optional, default=None)
    max_token_length: int | None = _setting(_limit, default=None)

    @property
    def variant(self) -> str:
        """Returns the name of the variant."""
        return self._variant

    def train_from_iterator(
        self,
        tokenizer: Tokenizer,
        train_iterators: Sequence[Iterable[Any]],
        dev_iterators: Sequence[Iterable[Any]] | None = None,
        ratio: Sequence[float] | None = None,
    ) -> None:
        """Trains a tokenizer, whose normalizer and pre-tokenizer are used; its model becomes a new BPE.

        Args:
            tokenizer: The tokenizer.
            train_iterators: The texts of each language, as texts or lists of texts.
            dev_iterators: Texts of each language by which their lengths are compared, best with the same content.
            ratio: The wanted compression rates in place of those of the trainer; without effect if there are development
                texts.

        Raises:
            ConfigError: The numbers of languages differ, a rate is not positive, or ``"window"`` has no window.

        >>> from piecework.hf import Tokenizer, models, trainers
        >>> tok = Tokenizer(models.BPE())
        >>> trainer = trainers.ParityBpeTrainer(num_merges=2, show_progress=False)
        >>> trainer.train_from_iterator(tok, [["abab"], ["xyxyxy"]], ratio=[1.0, 1.5])
        >>> tok.encode("xyxyab").tokens
        ['xy', 'xy', 'ab']
        """
        from piecework.hf._training import train_languages

        rates = self._values["ratio"] if ratio is None else _ratios(ratio)
        train_languages(tokenizer, self._values, train_iterators, dev_iterators, rates)

    def __getstate__(self) -> dict[str, Any]:
        """Returns the settings; special tokens are texts."""
        names = [token["content"] for token in self._values["special_tokens"]]
        return self._values | {"special_tokens": names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes settings that `__getstate__` returned."""
        self._values = ParityBpeTrainer(**state)._values

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the settings, with the flags of special tokens."""
        return ParityBpeTrainer, (), self._values | {"special_tokens": self.special_tokens}

    def _text(self, _limit: int) -> str:
        """Returns the settings of the choice of merges."""
        settings = {name: self._values[name] for name in _PARITY_SHOWN.split()}
        shown = [f"{name}={_shown(value)}" for name, value in settings.items()]
        return f"ParityBpeTrainer({', '.join(shown)})"


def _shown(value: Any) -> str:
    """Returns a value in the notation of `tokenizers`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:g}" if isinstance(value, float) else str(value)


_PARITY_SHOWN = "num_merges variant min_frequency global_merges window_size alpha total_symbols"
"""The settings that `repr` shows."""

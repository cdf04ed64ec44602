"""Defines trainers, the settings of a training.

>>> from piecework.hf import Tokenizer, models, pre_tokenizers, trainers
>>> tok = Tokenizer(models.BPE())
>>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
>>> tok.train_from_iterator(["hug hugs"] * 5, trainers.BpeTrainer(vocab_size=6, show_progress=False))
>>> tok.encode("hugs").tokens
['hug', 's']
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from piecework.hf import _added_tokens, _arguments, _repr, _state

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
_Checks = dict[str, Callable[[Any], Any]]
_LISTS = ("special_tokens", "initial_alphabet")
_FORMATS = {"indicatif": "Indicatif", "json": "JsonLines", "silent": "Silent"}


def _special(tokens: Any) -> list[dict[str, Any]]:
    """Returns special tokens as JSON."""
    flags = [
        _added_tokens.checked_flags(token, special=True, name="special_tokens")
        for token in _arguments.listed(tokens)
    ]
    return [_added_tokens.AddedToken._of(each).__getstate__() for each in flags]


def _characters(characters: Iterable[str]) -> list[str]:
    """Returns characters, sorted."""
    return sorted({_arguments.character(text) for text in characters})


def _alphabet(characters: Iterable[str]) -> list[str]:
    """Returns the first character of each text, sorted."""
    return sorted({_arguments.string(text)[0] for text in characters if text})


class _Value:
    """Describes an attribute of a trainer: its name in JSON and the check of new values."""

    def __init__(self, check: Callable[[Any], Any]) -> None:
        self.check, self.name = check, ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Takes the name of the attribute."""
        self.name = name

    def __get__(self, trainer: Trainer | ParityBpeTrainer | None, owner: type) -> Any:
        """Returns the value."""
        if trainer is None:
            return self
        value = trainer._settings[self.name]
        if self.name == "special_tokens":
            return [_added_token(state) for state in value]
        return list(value) if isinstance(value, list) else value

    def __set__(self, trainer: Trainer | ParityBpeTrainer, value: Any) -> None:
        """Sets the value."""
        trainer._settings[self.name] = self.check(value)


def _added_token(state: dict[str, Any]) -> _added_tokens.AddedToken:
    """Returns the added token with the flags in `state`."""
    token = _added_tokens.AddedToken()
    token.__setstate__(state)
    return token


class Trainer:
    """Serves as the base of all trainers."""

    __slots__ = ("_settings", "_word_count")
    _settings: dict[str, Any]
    _word_count: int
    """The number of different words of the last training."""
    _own: ClassVar[tuple[str, ...]] = ()
    """The settings of piecework, which `tokenizers` does not have."""

    def __init__(self) -> None:
        """Refuses to create the base class."""
        raise TypeError("cannot create 'Trainer' instances; create one of its subclasses")

    def _state(self) -> dict[str, Any]:
        """Returns the settings with the names of `tokenizers`."""
        settings = {name: value for name, value in self._settings.items() if name not in self._own}
        return settings | {"words": {}}

    def _own_state(self) -> dict[str, Any]:
        """Returns the settings of piecework that were given."""
        return {name: self._settings[name] for name in self._own if name in self._settings}

    def __getstate__(self) -> bytes:
        """Returns the settings as JSON."""
        own = self._own_state()
        state = {type(self).__name__: self._state()} | ({"piecework": own} if own else {})
        return _state.dumps(state).encode()

    def __setstate__(self, state: bytes) -> None:
        """Takes JSON that `__getstate__` returned."""
        read = json.loads(state)
        own = read.pop("piecework", {})
        ((_, settings),) = read.items()
        settings.pop("words", None)
        self._settings = settings | own

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the settings."""
        return _new, (type(self),), self.__getstate__()

    def _described(self, limit: int) -> str:
        name = type(self).__name__
        state = self._state()
        for owner in (state, state.get("bpe_trainer", {})):
            if tokens := owner.get("special_tokens"):
                owner["special_tokens"] = [{"AddedToken": token} for token in tokens]
        return f"{name}({_repr.describe({name: state}, limit)})"

    def __repr__(self) -> str:
        """Returns the settings."""
        return self._described(_repr.MANY)

    def __str__(self) -> str:
        """Returns the settings, with at most five elements of a list."""
        return self._described(_repr.SEVERAL)


def _own_trainer(trainer: object) -> Trainer:
    """Returns a trainer as one of ours: itself, or one with the settings of a trainer of `tokenizers`."""
    if _arguments.is_of_tokenizers(trainer):
        kinds = {kind.__name__: kind for kind in Trainer.__subclasses__()}
        if kind := kinds.get(type(trainer).__name__):
            converted = _new(kind)
            converted.__setstate__(trainer.__getstate__())  # type: ignore[arg-type]  # JSON in bytes
            return converted
    if not isinstance(trainer, Trainer):
        raise TypeError(f"{type(trainer).__name__!r} object is not an instance of 'Trainer'")
    return trainer


def _new(kind: type[Trainer]) -> Trainer:
    return kind.__new__(kind)


def _format(value: Any) -> str:
    """Returns the name in JSON of how progress is shown."""
    if value not in _FORMATS:
        raise ValueError(
            f"expected one of {', '.join(_FORMATS)} as progress_format, found {value!r}"
        )
    return _FORMATS[value]


_optional = _arguments.maybe(_arguments.string)
_limit = _arguments.maybe(_arguments.unsigned)


class BpeTrainer(Trainer):
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

    __slots__ = ()
    vocab_size = _Value(_arguments.unsigned)
    min_frequency = _Value(_arguments.unsigned)
    show_progress = _Value(_arguments.flag)
    special_tokens = _Value(_special)
    limit_alphabet = _Value(_limit)
    initial_alphabet = _Value(_characters)
    continuing_subword_prefix = _Value(_optional)
    end_of_word_suffix = _Value(_optional)
    max_token_length = _Value(_limit)

    def __init__(
        self,
        *,
        vocab_size: int = 30000,
        min_frequency: int = 0,
        show_progress: bool = True,
        progress_format: str = "indicatif",
        special_tokens: _Tokens | None = None,
        limit_alphabet: int | None = None,
        initial_alphabet: Iterable[str] | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        max_token_length: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Checks the settings."""
        given = locals()
        _arguments.ignored(kwargs, "BpeTrainer")
        checks = _checks(type(self)) | {"progress_format": _format}
        self._settings = _BPE | _checked(checks, given)

    @property
    def progress_format(self) -> str:
        """Returns how progress is shown."""
        member = self._settings["progress_format"]
        return next(name for name, other in _FORMATS.items() if other == member)

    @progress_format.setter
    def progress_format(self, progress_format: str) -> None:
        self._settings["progress_format"] = _format(progress_format)

    def get_word_count(self) -> int:
        """Returns the number of different words of the last training with this trainer.

        >>> from piecework.hf import Tokenizer, models, pre_tokenizers, trainers
        >>> tok, trainer = Tokenizer(models.BPE()), trainers.BpeTrainer(show_progress=False)
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tok.train_from_iterator(["to be", "to see"], trainer)
        >>> trainer.get_word_count()
        3
        """
        count: int = getattr(self, "_word_count", 0)
        return count


_BPE: dict[str, Any] = {
    "min_frequency": 0,
    "vocab_size": 30000,
    "show_progress": True,
    "progress_format": "Indicatif",
    "special_tokens": [],
    "limit_alphabet": None,
    "initial_alphabet": [],
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "max_token_length": None,
}
"""The settings in the order of `tokenizers`."""


def _attribute_checks(kind: type) -> _Checks:
    """Returns the checks of the attributes of a trainer."""
    return {name: value.check for name, value in vars(kind).items() if isinstance(value, _Value)}


def _checks(kind: type[Trainer]) -> _Checks:
    """Returns the checks of the arguments of a trainer."""
    checks = _attribute_checks(kind)
    # A new trainer takes the first character of each text, an attribute only characters.
    return checks | ({"initial_alphabet": _alphabet} if "initial_alphabet" in checks else {})


def _checked(checks: _Checks, given: dict[str, Any]) -> dict[str, Any]:
    """Returns settings after checking them; lists are empty by default."""
    return {
        name: check([] if given[name] is None and name in _LISTS else given[name])
        for name, check in checks.items()
    }


def _criterion(value: Any) -> str | None:
    """Returns the score of a pair; :class:`piecework.WordPieceTrainer` has the list."""
    from piecework.trainers import WordPieceTrainer as CoreTrainer

    if value is not None:
        CoreTrainer(vocab_size=1, special_tokens=(), criterion=value)
    name: str | None = value
    return name


class WordPieceTrainer(Trainer):
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

    __slots__ = ()
    _own: ClassVar[tuple[str, ...]] = ("criterion",)
    vocab_size = _Value(_arguments.unsigned)
    min_frequency = _Value(_arguments.unsigned)
    show_progress = _Value(_arguments.flag)
    special_tokens = _Value(_special)
    limit_alphabet = _Value(_limit)
    initial_alphabet = _Value(_characters)
    continuing_subword_prefix = _Value(_optional)
    end_of_word_suffix = _Value(_optional)
    criterion = _Value(_criterion)

    def __init__(
        self,
        *,
        vocab_size: int = 30000,
        min_frequency: int = 0,
        show_progress: bool = True,
        special_tokens: _Tokens | None = None,
        limit_alphabet: int | None = None,
        initial_alphabet: Iterable[str] | None = None,
        continuing_subword_prefix: str | None = "##",
        end_of_word_suffix: str | None = None,
        criterion: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Checks the settings."""
        given = locals()
        _arguments.ignored(kwargs, "WordPieceTrainer")
        self._settings = _BPE | _checked(_checks(type(self)), given)

    def _state(self) -> dict[str, Any]:
        return {"bpe_trainer": super()._state()}

    def _own_state(self) -> dict[str, Any]:
        given = self._settings["criterion"]
        return {} if given is None else {"criterion": given}

    def __setstate__(self, state: bytes) -> None:
        """Takes JSON that `__getstate__` returned."""
        super().__setstate__(state)
        settings = self._settings
        inner = settings.pop("bpe_trainer")
        inner.pop("words", None)
        self._settings = {"criterion": None} | inner | settings


class WordLevelTrainer(Trainer):
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

    __slots__ = ()
    min_frequency = _Value(_arguments.unsigned)
    vocab_size = _Value(_arguments.unsigned)
    show_progress = _Value(_arguments.flag)
    special_tokens = _Value(_special)

    def __init__(
        self,
        *,
        vocab_size: int = 30000,
        min_frequency: int = 0,
        show_progress: bool = True,
        special_tokens: _Tokens | None = None,
        **kwargs: Any,
    ) -> None:
        """Checks the settings."""
        given = locals()
        _arguments.ignored(kwargs, "WordLevelTrainer")
        self._settings = _checked(_checks(type(self)), given)


class UnigramTrainer(Trainer):
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

    __slots__ = ()
    show_progress = _Value(_arguments.flag)
    vocab_size = _Value(_arguments.unsigned)
    special_tokens = _Value(_special)
    initial_alphabet = _Value(_characters)

    def __init__(
        self,
        *,
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: _Tokens | None = None,
        initial_alphabet: Iterable[str] | None = None,
        shrinking_factor: float = 0.75,
        unk_token: str | None = None,
        max_piece_length: int = 16,
        n_sub_iterations: int = 2,
        seed_size: int = 1000000,
        **kwargs: Any,
    ) -> None:
        """Checks the settings."""
        given = locals()
        _arguments.ignored(kwargs, "UnigramTrainer")
        order = dict.fromkeys(("show_progress", "vocab_size", *_UNIGRAM_FIRST))
        self._settings = order | _checked(_checks(type(self)) | _UNIGRAM, given)


_UNIGRAM_FIRST = ("n_sub_iterations", "shrinking_factor", "special_tokens", "initial_alphabet")
"""The settings whose order in `tokenizers` is another than that of the checks."""

_UNIGRAM: _Checks = {
    "n_sub_iterations": _arguments.unsigned,
    "shrinking_factor": float,
    "unk_token": _optional,
    "max_piece_length": _arguments.unsigned,
    "seed_size": _arguments.unsigned,
}


def _variant(value: Any) -> str:
    """Returns the name of a variant of parity-aware BPE."""
    if _arguments.string(value) not in {"base", "window"}:
        raise ValueError(f"Unknown variant {value!r}. Use 'base' or 'window'.")
    return str(value)


def _ratios(value: Any) -> list[float]:
    """Returns compression rates."""
    if isinstance(value, str) or not hasattr(value, "__getitem__"):
        raise TypeError(f"expected a list of numbers as ratio, found {type(value).__name__!r}")
    return [_arguments.real(rate) for rate in value]


class ParityBpeTrainer:
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

    __slots__ = ("_settings",)
    _settings: dict[str, Any]
    num_merges = _Value(_arguments.unsigned)
    min_frequency = _Value(_arguments.unsigned)
    global_merges = _Value(_arguments.unsigned)
    window_size = _Value(_arguments.unsigned)
    alpha = _Value(_arguments.real)
    total_symbols = _Value(_arguments.flag)
    show_progress = _Value(_arguments.flag)
    special_tokens = _Value(_special)
    limit_alphabet = _Value(_limit)
    initial_alphabet = _Value(_characters)
    continuing_subword_prefix = _Value(_optional)
    end_of_word_suffix = _Value(_optional)
    max_token_length = _Value(_limit)

    def __init__(
        self,
        num_merges: int = 32000,
        variant: str = "base",
        min_frequency: int = 0,
        ratio: Sequence[float] | None = None,
        global_merges: int = 0,
        window_size: int = 100,
        alpha: float = 2.0,
        total_symbols: bool = False,
        special_tokens: _Tokens | None = None,
        show_progress: bool = True,
        limit_alphabet: int | None = None,
        initial_alphabet: Sequence[str] | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        max_token_length: int | None = None,
    ) -> None:
        """Checks the settings."""
        given = locals()
        checks = _attribute_checks(type(self)) | {
            "variant": _variant,
            "ratio": _arguments.maybe(_ratios),
        }
        self._settings = _checked({name: checks[name] for name in _PARITY}, given)

    @property
    def variant(self) -> str:
        """Returns the name of the variant."""
        name: str = self._settings["variant"]
        return name

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

        rates = self._settings["ratio"] if ratio is None else _ratios(ratio)
        train_languages(tokenizer, self._settings, train_iterators, dev_iterators, rates)

    def __getstate__(self) -> dict[str, Any]:
        """Returns the settings; special tokens are texts."""
        names = [token["content"] for token in self._settings["special_tokens"]]
        return self._settings | {"special_tokens": names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes settings that `__getstate__` returned."""
        self._settings = ParityBpeTrainer(**state)._settings

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the settings, with the flags of special tokens."""
        return ParityBpeTrainer, (), self._settings | {"special_tokens": self.special_tokens}

    def __repr__(self) -> str:
        """Returns the settings of the choice of merges."""
        settings = {name: self._settings[name] for name in _PARITY_SHOWN}
        shown = [f"{name}={_shown(value)}" for name, value in settings.items()]
        return f"ParityBpeTrainer({', '.join(shown)})"


def _shown(value: Any) -> str:
    """Returns a value in the notation of `tokenizers`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:g}" if isinstance(value, float) else str(value)


_PARITY_SHOWN = (
    "num_merges",
    "variant",
    "min_frequency",
    "global_merges",
    "window_size",
    "alpha",
    "total_symbols",
)
_PARITY = (
    *_PARITY_SHOWN,
    "show_progress",
    "ratio",
    "special_tokens",
    "limit_alphabet",
    "initial_alphabet",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "max_token_length",
)
"""The settings in the order of `tokenizers`."""

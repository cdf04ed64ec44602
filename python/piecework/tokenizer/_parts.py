"""Defines what a tokenizer consists of: its vocabulary, model and stages."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from piecework._settings.arguments import check_index
from piecework._settings.immutable import Immutable, ReadOnlyDict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from piecework._core import Tokenizer as CoreTokenizer
    from piecework._settings.added_tokens import AddedToken
    from piecework._settings.choices import UnknownPolicy
    from piecework._settings.encoding import Padding, Truncation
    from piecework.decoders import Decoder
    from piecework.models import Model
    from piecework.normalizers import Normalizer
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.processors import PostProcessor
    from piecework.tokenizer._folders.settings import FolderSettings

__all__ = ["TokenizerParts"]


class TokenizerParts(Immutable):
    """Serves as the base of `Tokenizer` with its vocabulary, model and stages."""

    _core: CoreTokenizer
    _functions: tuple[Callable[[str], object], ...] = ()
    _folder: FolderSettings | None = None  # of the folder that the tokenizer was loaded from

    @cached_property
    def vocab(self) -> Mapping[str, int]:
        r"""Returns tokens and their ids, in order of the ids, as a dictionary that cannot be changed.

        It is computed once for a tokenizer.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n").vocab
        {'[UNK]': 0, 'hug': 1}
        """
        return ReadOnlyDict(self._core.vocab())

    @property
    def vocab_size(self) -> int:
        """Returns the number of tokens, special tokens included; see :attr:`max_id` for the largest id."""
        return len(self._core)

    @cached_property
    def fingerprint(self) -> str:
        r"""Returns the SHA-256 of what decides the ids of a text, as 64 hexadecimal digits.

        These are normalizer, pre-tokenizer, model, added tokens and post-processor. Decoder, truncation, padding, the record
        of the training, and the order and the form in which a file has its members do not change it. Equal fingerprints
        mean equal ids; unequal ones may, too, since two settings can have the same effect. It takes about as long as
        saving the tokenizer.

        Raises:
            ConfigError: The pre-tokenizer is a Python function.

        >>> from piecework import Tokenizer
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.fingerprint[:8], tok.replace(decoder=None).fingerprint == tok.fingerprint
        ('485198e7', True)
        >>> tok.replace(unknown="char").fingerprint == tok.fingerprint
        False
        """
        return self._core.fingerprint()

    def __len__(self) -> int:
        """Returns the number of tokens, special tokens included."""
        return len(self._core)

    @property
    def max_id(self) -> int | None:
        r"""Returns the largest id, or None for an empty vocabulary.

        An embedding table needs ``max_id + 1`` rows. Ids may have gaps, so `max_id` may exceed ``len(tok) - 1``:
        cl100k_base has 100,261 tokens and ids up to 100,276.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").max_id
        2
        """
        return self._core.max_id()

    def token_to_id(self, token: str) -> int | None:
        """Returns the id of a token, or None if it is not in the vocabulary."""
        return self._core.token_to_id(token)

    def id_to_token(self, id: int) -> str | None:  # noqa: A002  # the name that the field uses
        """Returns the token of an id, or None if it is not in the vocabulary."""
        number = check_index("id", id)
        return self._core.id_to_token(number) if 0 <= number < 1 << 32 else None

    @property
    def special_tokens(self) -> dict[str, int]:
        """Returns the special tokens and their ids."""
        return dict(self._core.special_tokens())

    @cached_property
    def control_symbols(self) -> tuple[str, ...]:
        r"""Returns the special tokens whose text in the input is ordinary text by default.

        These are the control symbols of a SentencePiece model, which SentencePiece never matches in a text. Pickling keeps
        them, a tokenizer.json does not; :meth:`with_added_tokens` turns one into a special token that is matched. Other
        formats have none.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\n[SEP]\nhug\n").control_symbols
        ()
        """
        return tuple(self._core.control_symbols())

    @cached_property
    def added_tokens(self) -> Mapping[int, AddedToken]:
        """Returns the added tokens, special tokens included, by id, as a dictionary that cannot be changed."""
        from piecework._settings.added_tokens import AddedToken

        return ReadOnlyDict(
            {number: AddedToken(*flags) for number, flags in self._core.added_tokens()}
        )

    @property
    def unknown(self) -> UnknownPolicy:
        """Returns how uncovered characters are encoded (:attr:`models.WordPiece.unknown`); ``"word"`` for other models."""
        return self._core.model()[2] if self.model_type == "WordPiece" else "word"

    @property
    def unk_token(self) -> str | None:
        """Returns the unknown token, or None if there is none."""
        unk_token = self._core.unk_token()
        known = unk_token is not None and self.token_to_id(unk_token) is not None
        return unk_token if known else None

    @property
    def continuing_subword_prefix(self) -> str:
        """Returns the prefix of tokens that continue a word; may be empty."""
        return self._core.continuing_subword_prefix()

    @property
    def max_input_chars_per_word(self) -> int | None:
        """Returns the maximum length of a known word in normalized characters; None for no limit."""
        return self._core.model()[3] if self.model_type == "WordPiece" else None

    @property
    def model_type(self) -> str:
        """Returns the type of the model: ``"WordPiece"``, ``"BPE"``, ``"Unigram"`` or ``"WordLevel"``."""
        return self._core.model_type()

    @cached_property
    def model(self) -> Model:
        """Returns the model with its vocabulary, which is computed once for a tokenizer."""
        import json

        from piecework.models import Model

        return Model.from_dict(json.loads(self._core.model_json()))

    @cached_property
    def _parts(self) -> dict[str, Any]:
        import json

        parts: dict[str, Any] = json.loads(self._core.parts())
        return parts

    @cached_property
    def normalizer(self) -> Normalizer | None:
        """Returns the normalizer, or None."""
        from piecework.normalizers import Normalizer

        part = self._parts["normalizer"]
        return part and Normalizer.from_dict(part)

    @cached_property
    def pre_tokenizer(self) -> PreTokenizer | None:
        """Returns the pre-tokenizer, which splits a text into words, or None."""
        from piecework.pre_tokenizers import PreTokenizer

        part = self._parts["pre_tokenizer"]
        return part and PreTokenizer.from_dict(part, self._functions)

    @cached_property
    def post_processor(self) -> PostProcessor | None:
        """Returns the post-processor, which inserts special tokens, or None."""
        from piecework.processors import PostProcessor

        part = self._parts["post_processor"]
        return part and PostProcessor.from_dict(part)

    @cached_property
    def decoder(self) -> Decoder | None:
        """Returns the decoder, which converts tokens to text, or None."""
        from piecework.decoders import Decoder

        part = self._parts["decoder"]
        return part and Decoder.from_dict(part)

    @cached_property
    def truncation(self) -> Truncation | None:
        """Returns the default truncation of calls, or None."""
        from piecework._settings.encoding import prescribed

        part = self._parts["truncation"]
        return part and prescribed(part)

    @cached_property
    def padding(self) -> Padding | None:
        """Returns the default padding of calls, or None."""
        from piecework._settings.encoding import Padding

        part = self._parts["padding"]
        return part and Padding.from_dict(part)

    @property
    def generic_path_reason(self) -> str | None:
        r"""Returns why texts take the generic path, or None if they take the fast path.

        Both paths give the same tokens. The fast path cuts a text at safe split points and looks up the chunks in a cache;
        docs/pipeline.md lists the pipelines that support it.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").generic_path_reason is None
        True
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").replace(pre_tokenizer=None).generic_path_reason
        'without a pre-tokenizer a text is one word'
        """
        return self._core.generic_path_reason()

    @property
    def split_backends(self) -> tuple[str, ...]:
        r"""Returns the matcher of each split pattern of the pre-tokenizer, in order.

        Patterns of well-known models (such as `piecework.patterns.SPLIT_PATTERNS`) are matched by grammars, runs of one set of
        characters (``\p{N}{1,3}``) and plain strings without a regex engine, all others by Oniguruma. All of them match
        what Oniguruma matches.

        >>> from piecework import Tokenizer, pre_tokenizers
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.replace(pre_tokenizer=pre_tokenizers.ByteLevel()).split_backends
        ('grammar gpt2',)
        """
        return tuple(self._core.split_backends())

    def unreachable_tokens(self) -> list[str]:
        """Returns the tokens that no text is encoded to, as far as this follows from merges and added tokens.

        No merges of a BPE model produce them, or, with any model, they contain an added token that is matched wherever it
        occurs. A trained vocabulary has none. Edited vocabularies may have some. :func:`piecework.lint` finds others.

        Returns:
            The tokens in order of their ids, without added tokens.

        Raises:
            PieceworkError: The normalizer cannot normalize an added token.

        >>> from piecework import Tokenizer, models
        >>> Tokenizer(models.BPE(["a", "b", "c", "bc", "abc"], [("b", "c")])).unreachable_tokens()
        ['abc']
        >>> tok = Tokenizer(models.WordLevel(["[UNK]", "new", "newer"]), added_tokens=["new"])
        >>> tok.unreachable_tokens()
        ['newer']
        """
        return self._core.unreachable_tokens()

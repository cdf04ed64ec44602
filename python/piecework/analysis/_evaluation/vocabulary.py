"""Describes the vocabulary of a tokenizer for the metrics: which entries count, and their probabilities."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from piecework.tokenizer import Tokenizer

__all__ = ["Vocabulary"]


class Vocabulary:
    r"""Describes the vocabulary of a tokenizer.

    >>> from piecework import Tokenizer
    >>> tok = Tokenizer.from_str("[UNK]\n[SEP]\nlow\n##er\n")
    >>> Vocabulary(tok).entries.tolist(), Vocabulary(tok).unk_id
    ([2, 3], 0)
    """

    def __init__(self, tok: Tokenizer) -> None:
        self._tok = tok

    @cached_property
    def unk_id(self) -> int | None:
        """Returns the id of the unknown token, or None if there is none."""
        unk_token = self._tok.unk_token
        return None if unk_token is None else self._tok.token_to_id(unk_token)

    @cached_property
    def entries(self) -> NDArray[np.int64]:
        """Returns the ids of all tokens but special tokens and the unknown token, in ascending order."""
        import numpy as np

        ids = self._tok._core.vocab_ids().astype(np.int64)
        unknown = [] if self.unk_id is None else [self.unk_id]
        others = [*self._tok.special_tokens.values(), *unknown]
        return ids[~np.isin(ids, others)]

    def log_probabilities(self, ids: NDArray[np.uint32]) -> NDArray[np.float64] | None:
        """Returns the natural logarithms of the probabilities of tokens; None if the model has no probabilities.

        Unigram has scores; other models have given probabilities, or the shares of tokens in their training.
        """
        import numpy as np

        logarithms = self._tok._core.log_probabilities(ids.tolist())
        return None if logarithms is None else np.array(logarithms, dtype=np.float64)

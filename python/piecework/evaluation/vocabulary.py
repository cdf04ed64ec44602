"""Describes the vocabulary of a tokenizer for the metrics: which entries count, and their probabilities."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from piecework.tokenizer import Tokenizer

__all__ = ["Vocabulary"]

_FLOOR = 2.0**-52
"""The probability of a token that was never counted, as for :meth:`LanguageModel.log_likelihood`."""


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

        others = {*self._tok.special_tokens.values(), self.unk_id}
        ids = [number for number in self._tok.vocab.values() if number not in others]
        return np.array(sorted(set(ids)), dtype=np.int64)

    def log_probabilities(self, ids: NDArray[np.uint32]) -> NDArray[np.float64] | None:
        """Returns the natural logarithms of the probabilities of tokens; None if the model has no probabilities.

        Unigram has scores; other models have given probabilities, or the shares of tokens in their training.
        """
        import numpy as np

        if self._tok.model_type == "Unigram":
            return np.array([self._tok.lm.score([int(number)]) for number in ids], dtype=np.float64)
        shares = self._shares
        if shares is None:
            return None
        each = [shares.get(self._tok.id_to_token(int(number)) or "", 0.0) for number in ids]
        is_known = ids != (-1 if self.unk_id is None else self.unk_id)
        known = np.array(each, dtype=np.float64) * is_known
        return np.log(np.where(known > 0, known, _FLOOR))

    @cached_property
    def _shares(self) -> Mapping[str, float] | None:
        """Returns the probability of each token, or None if unknown."""
        given = getattr(self._tok.model, "probabilities", None)
        if given:
            return dict(given)
        counts = self._tok.training.token_counts
        if counts is None:
            return None
        total = math.fsum(counts.values())
        return {token: count / total for token, count in counts.items()} if total else {}

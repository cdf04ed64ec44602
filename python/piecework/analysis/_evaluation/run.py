"""Evaluates texts and corpora."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from piecework._io.document_batch import check_name
from piecework._io.given import as_corpus
from piecework._messages import shown, wrong_type
from piecework._settings.arguments import check_flag, check_index, check_str
from piecework.analysis._evaluation.agreement import Agreement
from piecework.analysis._evaluation.meters import Measures
from piecework.analysis._evaluation.metrics import Vocabulary, metrics_of
from piecework.analysis._evaluation.parity import Parity, reference_of
from piecework.analysis._evaluation.result import Evaluation, TextResult, TokenizerResult
from piecework.analysis._evaluation.sums import TextSums
from piecework.analysis._measuring.pairs import check_parallel
from piecework.engines import check_engine
from piecework.errors import ConfigError
from piecework.tokenizer._arguments import named_tokenizers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._io.corpus import Corpus
    from piecework._settings.arguments import Specials
    from piecework.analysis._evaluation.meters import GroupSums
    from piecework.engines import Engine
    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._arguments import TokenizerLike

__all__ = ["Settings", "corpus_groups", "groups_of"]

_FREQUENT = 20
"""The number of most frequent tokens in a result."""


class Settings:
    """Holds what all evaluations have in common, checked.

    Attributes:
        measures: What is measured.
        power: The power of the Rényi efficiency.
    """

    def __init__(
        self,
        tokenizers: TokenizerLike | Sequence[TokenizerLike] | Mapping[str, TokenizerLike],
        *,
        specials: Specials | None,
        power: Any,
        parallel: bool,
        reference: str | None,
        disagreements: int | None,
    ) -> None:
        """Checks the settings."""
        if isinstance(disagreements, bool):
            raise wrong_type("disagreements", "an integer or None", disagreements)
        if disagreements is not None:
            disagreements = check_index("disagreements", disagreements)
            if disagreements < 0:
                message = f"expected an integer from 0 on, found {disagreements}"
                raise ConfigError(message, setting="disagreements")
        self.measures = Measures(named_tokenizers(tokenizers), specials, disagreements)
        self.power = power
        self._parallel, self._reference = check_flag("parallel", parallel), reference
        if isinstance(power, bool) or not isinstance(power, int | float) or not 0 < power < 1e3:
            message = f"expected a number above 0 and below 1000, found {shown(power)}"
            raise ConfigError(message, setting="renyi_power")
        if reference is not None and not parallel:
            message = "requires parallel texts"
            raise ConfigError(message, setting="reference", hint="pass `parallel=True`")
        for tok in self.measures.tokenizers.values():
            tok.encode_ids("", specials=specials, sampling=None)  # checks `specials`

    def reference(self, groups: Sequence[str]) -> str | None:
        """Returns the language that others are compared with, or None without parallel texts."""
        return reference_of(groups, self._reference) if self._parallel else None

    def evaluation(
        self, groups: Mapping[str | None, GroupSums], reference: str | None
    ) -> Evaluation:
        """Returns the result for the sums of each group; the group None has all texts if there are no groups."""
        sums = {name: each for name, each in groups.items() if name is not None}
        if reference is not None:
            check_parallel({name: each.sums[0].texts for name, each in sums.items()})
        results = (
            self._result(
                place, {name: each.sums[place] for name, each in groups.items()}, reference
            )
            for place in range(len(self.measures.tokenizers))
        )
        agreements = {name: each.agreement for name, each in groups.items() if each.agreement}
        most = self.measures.disagreements
        return Evaluation(
            tuple(results),
            tuple(sums),
            float(self.power),
            None if most is None else Agreement.total(agreements.values(), most),
            {name: each for name, each in agreements.items() if name is not None},
        )

    def _result(
        self, place: int, sums: Mapping[str | None, TextSums], reference: str | None
    ) -> TokenizerResult:
        """Returns the result of a tokenizer for its sums of each group."""
        name, tok = list(self.measures.tokenizers.items())[place]
        vocabulary = Vocabulary(tok)

        def result(each: TextSums) -> TextResult:
            return TextResult(each, metrics_of(each, vocabulary, self.power))

        total = sums[None] if None in sums else TextSums.total(sums.values())
        groups = {name: each for name, each in sums.items() if name is not None}
        tokens = {group: each.tokens for group, each in groups.items()}
        return TokenizerResult(
            name,
            tok.model_type,
            tok.vocab_size,
            tok.fingerprint,
            result(total),
            {group: result(each) for group, each in groups.items()},
            None if reference is None else Parity.of(tokens, reference),
            _frequent(tok, total),
        )


def _frequent(tok: Tokenizer, sums: TextSums) -> tuple[tuple[str, int], ...]:
    """Returns the most frequent tokens in readable form; of equally frequent ones those of the smallest ids."""
    order = (-sums.counts).argsort(kind="stable")[:_FREQUENT]
    pairs = zip(sums.ids[order].tolist(), sums.counts[order].tolist(), strict=True)
    return tuple((tok.display_token(number), count) for number, count in pairs)


def groups_of(texts: Any) -> dict[str | None, Any]:
    """Returns texts by group: those of a mapping of names, or all under None."""
    if not isinstance(texts, Mapping):
        return {None: texts}
    if not texts:
        raise ConfigError("expected at least one group", setting="texts")
    return {check_str("texts: the name of a group", key): value for key, value in texts.items()}


def corpus_groups(
    texts: Any, by: str | None, engine: Engine | None
) -> dict[str | None, Corpus] | None:
    """Returns the files of each group if all texts are those of files; None for other texts.

    Args:
        texts: A corpus, or a mapping of groups to corpora; or other texts.
        by: What makes the groups of a corpus; see :func:`piecework.evaluate`.
        engine: Where the parts of files run.

    Returns:
        The groups; the group None has all files if there are no groups, or those of a member.

    Raises:
        ConfigError: `by` or an engine is given, and the texts are not those of files that they can divide.
    """
    check_name("by", by)
    if engine is not None:
        check_engine(engine)
    if isinstance(texts, Mapping) and by is not None:
        hint = "pass a Corpus"
        raise ConfigError("cannot be combined with a mapping of groups", setting="by", hint=hint)
    groups = groups_of(texts)
    found = {name: as_corpus(each) for name, each in groups.items()}
    corpora = {name: each for name, each in found.items() if each is not None}
    if len(corpora) < len(groups):
        setting = "engine" if engine is not None else "by"
        if engine is not None or by is not None:
            expected = f"a piecework.Corpus, whose files `{setting}` divides"
            raise wrong_type("texts", expected, texts)
        return None
    if engine is not None:
        for each in corpora.values():
            each._check_can_be_divided("texts")
    if by in {"file", "folder"}:
        return corpora[None]._groups(by)
    return corpora

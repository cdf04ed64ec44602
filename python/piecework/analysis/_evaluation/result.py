"""Defines the result of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from piecework._messages import did_you_mean, quantity, shown, wrong_type
from piecework._result import Result
from piecework._settings.arguments import check_str
from piecework._settings.immutable import Record, dataclass
from piecework.analysis._evaluation.metrics import METRICS, PARITY_METRICS, Value
from piecework.analysis._evaluation.sums import COUNTERS, TextSums
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._show.document import Block
    from piecework.analysis._evaluation.agreement import Agreement
    from piecework.analysis._evaluation.limits import FailedLimit

_SIZES = ("texts", "bytes", "characters", "words", "tokens")
"""The sums that are part of a result, besides the counters."""


def _metric(metrics: Mapping[str, Value], name: str) -> Value:
    """Returns a metric by its name; raises ConfigError for another name."""
    if name not in metrics:
        needs_parallel = name in PARITY_METRICS
        hint = "pass `parallel=True`" if needs_parallel else did_you_mean(name, METRICS) or ""
        raise ConfigError(f"no metric {shown(name)}", setting="metric", hint=hint or None)
    return metrics[name]


@dataclass(frozen=True, slots=True, repr=False)
class TextResult(Record):
    """Holds the metrics of a tokenizer on some texts.

    Attributes:
        sums: The sums from which the metrics are computed.
        metrics: The metrics by their names; None where a metric is undefined.
    """

    sums: TextSums
    metrics: Mapping[str, Value]

    def __getitem__(self, metric: str) -> Value:
        """Returns a metric by its name.

        Raises:
            ConfigError: There is no such metric.
        """
        return _metric(self.metrics, metric)

    def to_dict(self) -> dict[str, Any]:
        """Returns sums, metrics and examples of changed texts as JSON values."""
        sums = self.sums
        return {
            **{name: getattr(sums, name) for name in _SIZES},
            "metrics": dict(self.metrics),
            **{name: getattr(sums, name).tolist() for name in COUNTERS},
            "changed": [changed.to_dict() for changed in sums.changed],
        }

    def __repr__(self) -> str:
        """Returns the number of texts and tokens."""
        return f"<TextResult: {self.sums.texts:,} texts, {self.sums.tokens:,} tokens>"


@dataclass(frozen=True, slots=True)
class Parity(Record):
    """Compares the tokens of parallel texts in several languages.

    Attributes:
        reference: The language whose premium is 1.
        premiums: For each language its tokens, divided by those of the reference; None without tokens there.
        gini: The Gini coefficient of the tokens of the languages: 0 if all have equally many; None without tokens.
    """

    reference: str
    premiums: Mapping[str, float | None]
    gini: float | None

    @classmethod
    def of(cls, tokens: Mapping[str, int], reference: str) -> Parity:
        """Returns the comparison of the numbers of tokens by language.

        >>> Parity.of({"en": 100, "de": 150}, "en").premiums
        {'en': 1.0, 'de': 1.5}
        """
        if not isinstance(tokens, Mapping):
            raise wrong_type("tokens", "a mapping of languages to numbers", tokens)
        if check_str("reference", reference) not in tokens:
            raise ConfigError(f"{shown(reference)} is no key of `tokens`", setting="reference")
        own = tokens[reference]
        premiums = {name: count / own if own else None for name, count in tokens.items()}
        return cls(reference, premiums, gini(list(tokens.values())))

    @property
    def largest_premium(self) -> float | None:
        """Returns the largest premium, or None without tokens of the reference."""
        return max((each for each in self.premiums.values() if each is not None), default=None)

    def metrics(self) -> dict[str, Value]:
        """Returns the metrics of all languages by their names."""
        return {"largest_premium": self.largest_premium, "gini": self.gini}

    def to_dict(self) -> dict[str, Any]:
        """Returns the comparison as JSON values."""
        return {"reference": self.reference, "premiums": dict(self.premiums), **self.metrics()}


def gini(values: Sequence[int]) -> float | None:
    """Returns the Gini coefficient of values: their mean absolute difference, divided by twice their mean.

    It takes time n log n, by the values in ascending order.

    >>> gini([1, 1, 1]), gini([0, 0, 3]), gini([0])
    (0.0, 0.6666666666666666, None)
    """
    total, count = sum(values), len(values)
    if not total:
        return None
    weighted = sum((2 * rank - count - 1) * each for rank, each in enumerate(sorted(values), 1))
    return weighted / (count * total)


@dataclass(frozen=True, slots=True, repr=False)
class TokenizerResult(Record):
    """Holds the results of a tokenizer.

    Attributes:
        name: The name of the tokenizer.
        model: The type of its model.
        vocab_size: The number of its tokens.
        fingerprint: Its fingerprint; see :meth:`Tokenizer.fingerprint`.
        total: The result on all texts.
        groups: The result on each group of texts by its name; empty without groups.
        parity: The comparison of the groups; None unless they are parallel.
        frequent: The most frequent tokens in readable form, with their counts.
    """

    name: str
    model: str
    vocab_size: int
    fingerprint: str
    total: TextResult
    groups: Mapping[str, TextResult]
    parity: Parity | None
    frequent: tuple[tuple[str, int], ...]

    @property
    def metrics(self) -> dict[str, Value]:
        """Returns the metrics on all texts by their names, and those of parallel texts."""
        parity = {} if self.parity is None else self.parity.metrics()
        return {**self.total.metrics, **parity}

    def __getitem__(self, metric: str) -> Value:
        """Returns a metric by its name.

        Raises:
            ConfigError: There is no such metric.
        """
        return _metric(self.metrics, metric)

    def __repr__(self) -> str:
        """Returns the name and the number of tokens of the texts."""
        return f"<TokenizerResult: {self.name}, {self.total.sums.tokens:,} tokens>"


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Result["TokenizerResult"]):
    r"""Holds what one or several tokenizers do to texts; a sequence of their results. Print it for a table.

    Attributes:
        tokenizers: The results of each tokenizer, in the given order.
        groups: The names of the groups of texts; empty without groups.
        renyi_power: The power of the Rényi efficiency.
        agreement: How much of all texts the tokenizers cut in the same way; None unless `disagreements` was given.
        agreements: The same for each group by its name; empty without groups.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nlow\n##er\n")
    >>> evaluation = pw.evaluate(tok, ["low lower", "high"])
    >>> evaluation["fertility"], evaluation["unknown_rate"], evaluation["changed_texts"]
    (1.3333333333333333, 0.25, 1)
    """

    tokenizers: tuple[TokenizerResult, ...]
    groups: tuple[str, ...]
    renyi_power: float
    agreement: Agreement | None
    agreements: Mapping[str, Agreement]

    def __getitem__(self, metric: str) -> Value:
        """Returns a metric of the only tokenizer on all texts.

        Raises:
            ConfigError: There is no such metric, or there are several tokenizers.
        """
        if len(self.tokenizers) != 1:
            names = [result.name for result in self.tokenizers]
            hint = f"pass one of them, evaluation.tokenizer({shown(names[0])})[{shown(metric)}]"
            raise ConfigError(
                f"there are {len(names)} tokenizers, {shown(names)}", setting="metric", hint=hint
            )
        return self.tokenizers[0][metric]

    def tokenizer(self, name: str) -> TokenizerResult:
        r"""Returns the result of a tokenizer by its name.

        Raises:
            ConfigError: There is no tokenizer of this name.

        >>> import piecework as pw
        >>> tok = pw.Tokenizer.from_str("[UNK]\nlow\n##er\n")
        >>> pw.evaluate({"a": tok, "b": tok}, ["low lower"]).tokenizer("b")["fertility"]
        1.5
        """
        for result in self.tokenizers:
            if result.name == name:
                return result
        names = [result.name for result in self.tokenizers]
        message = f"no tokenizer {shown(name)}; found {', '.join(map(shown, names))}"
        raise ConfigError(message, setting="name", hint=did_you_mean(name, names))

    def check(
        self,
        *,
        fail_under: Mapping[str, float] | None = None,
        fail_over: Mapping[str, float] | None = None,
    ) -> list[FailedLimit]:
        r"""Returns the limits that the metrics on all texts do not keep.

        Args:
            fail_under: The least value of metrics that are better when higher, such as ``{"bytes_per_token": 3.5}``.
            fail_over: The largest value of metrics that are better when lower, such as ``{"fertility": 1.5}``.

        Returns:
            A failure for each limit and tokenizer that does not keep it; an undefined metric keeps no limit.

        Raises:
            ConfigError: There is no such metric, or its limit is on the other side.

        >>> import piecework as pw
        >>> evaluation = pw.evaluate(pw.Tokenizer.from_str("[UNK]\nlow\n##er\n"), ["low lower"])
        >>> [str(failure) for failure in evaluation.check(fail_over={"fertility": 1.2, "unknown_rate": 0})]
        ['fertility is 1.500, over 1.2']
        """
        from piecework.analysis._evaluation.limits import check

        return check(
            self,
            {} if fail_under is None else fail_under,
            {} if fail_over is None else fail_over,
        )

    def to_markdown(self) -> str:
        """Returns a report in Markdown, with tables alone."""
        from piecework._show.markdown import as_markdown
        from piecework.analysis._evaluation.report import report

        return as_markdown(report(self)) + "\n"

    def to_html(self) -> str:
        """Returns a report as one HTML page without scripts, which loads nothing."""
        from piecework._show.html import as_page
        from piecework.analysis._evaluation.report import TITLE, report

        return as_page(report(self), TITLE)

    @property
    def _rows(self) -> tuple[TokenizerResult, ...]:
        return self.tokenizers

    def _summary(self) -> str:
        names = ", ".join(result.name for result in self.tokenizers)
        texts = self.tokenizers[0].total.sums.texts if self.tokenizers else 0
        return f"{names} on {quantity(texts, 'text')}"

    def _document(self) -> Iterator[Block]:
        """Iterates over tables of the metrics: of all texts by tokenizer, and by group."""
        from piecework._show.document import Text
        from piecework.analysis._evaluation.report import figure_tables

        metrics, *groups = figure_tables(self)
        yield metrics._replace(title="")
        for group in groups:
            yield Text("")
            yield group
        for each in self.agreement.disagreements if self.agreement else ():
            yield Text("")
            yield from each._document()

"""Defines the options of random segmentations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from piecework.cli.declare import Option, given_of
from piecework.cli.messages import OptionError, refuse

if TYPE_CHECKING:
    from piecework import Tokenizer
    from piecework._settings.arguments import Default
    from piecework._settings.encoding import Sampling as CallSampling

_LARGEST_SEED = 2**64 - 1
_GAMMA = 0x9E3779B97F4A7C15
"""The difference between the seeds of consecutive inputs (B11 of spec/bpe.md)."""


@dataclass(frozen=True)
class Sampling:
    """Holds the options of random segmentations.

    Options:
        sample: Draw a segmentation at random (requires Unigram, or WordPiece with --segmentation likeliest).
        alpha: Draw with the probability to this power: 1 samples from the model, 0 uniformly (default: 1; requires --sample).
        nbest_size: Draw from the N best segmentations of each word (default: all; requires --sample).
        dropout: Skip merges of BPE, or tokens of WordPiece, with this probability.
        seed: Set the seed of --sample and --dropout (default: random).
    """

    section: ClassVar[str] = "Sampling"

    sample: bool = False
    alpha: Annotated[float | None, Option(metavar="POWER", min=0)] = None
    nbest_size: Annotated[int | None, Option(min=1)] = None
    dropout: Annotated[float | None, Option(metavar="P", min=0, max=1)] = None
    seed: Annotated[int | None, Option(min=0, max=_LARGEST_SEED)] = None

    def at(self, line: int) -> CallSampling | Default:
        """Returns the sampling of a batch that starts at a line; tokens do not depend on the batch size."""
        from piecework._settings.arguments import DEFAULT
        from piecework._settings.encoding import Sampling as CallSampling

        if not given_of(self):
            return DEFAULT
        alpha = 1.0 if self.sample and self.alpha is None else self.alpha
        seed = None if self.seed is None else self.seed + line * _GAMMA & _LARGEST_SEED
        return CallSampling(alpha, self.nbest_size, self.dropout, seed)

    def check(self, tok: Tokenizer) -> None:
        """Raises OptionError for options without effect."""
        if not self.sample:
            refuse({"alpha": self.alpha, "nbest_size": self.nbest_size}, "requires --sample")
        samples = self.sample or self.dropout is not None
        # Checked last, since `tok.model` copies the vocabulary.
        if self.seed is not None and not samples and not getattr(tok.model, "dropout", None):
            raise OptionError("--seed", "requires --sample, --dropout, or a model with dropout")

"""Options about what is left to chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from piecework import Tokenizer

__all__ = ["Chance"]

_LARGEST_SEED = 2**64 - 1
_GAMMA = 0x9E3779B97F4A7C15
"""By how much the seeds of inputs that follow each other differ (B11 of spec/bpe.md)."""


@dataclass(frozen=True)
class Chance:
    """What is left to chance, and what it follows from."""

    sample: Annotated[
        bool,
        typer.Option(
            "--sample",
            help="Unigram, and WordPiece by likelihood: draw each line's segmentation by chance.",
        ),
    ] = False
    alpha: Annotated[
        float | None,
        typer.Option(
            metavar="POWER",
            min=0,
            help="--sample: draw with the probability to this power; 1, the default, draws from the model, 0 makes all alike.",
        ),
    ] = None
    nbest_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="--sample: draw among the N best segmentations of each word; all by default.",
        ),
    ] = None
    dropout: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            min=0,
            max=1,
            help="BPE: pass merges over with this probability; WordPiece: tokens.",
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=_LARGEST_SEED,
            help="--sample, --dropout: the same seed, the same tokens; drawn anew by default.",
        ),
    ] = None

    def settings(self, line: int) -> dict[str, Any]:
        """Give what was asked for as a batch takes it that begins with this line, whatever the batches are."""
        alpha = 1.0 if self.sample and self.alpha is None else self.alpha
        seed = None if self.seed is None else self.seed + line * _GAMMA & _LARGEST_SEED
        return {
            "alpha": alpha,
            "nbest_size": self.nbest_size,
            "dropout": self.dropout,
            "seed": seed,
        }

    def check(self, tok: Tokenizer) -> None:
        """Refuse what says nothing."""
        for option, given in (("--alpha", self.alpha), ("--nbest-size", self.nbest_size)):
            if given is not None and not self.sample:
                raise typer.BadParameter(
                    f"{option} says nothing without --sample", param_hint=option
                )
        samples = self.sample or self.dropout is not None
        # Asked last: making the model takes its vocabulary.
        if self.seed is not None and not samples and not getattr(tok.model, "dropout", None):
            message = "--seed requires --sample, --dropout, or a model with a dropout of its own"
            raise typer.BadParameter(message, param_hint="--seed")

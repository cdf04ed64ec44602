"""The output formats of a corpus run, by name."""

from piecework.corpus.layouts.datatrove import Datatrove
from piecework.corpus.layouts.flat import LlmC, NanoGpt
from piecework.corpus.layouts.layout import Layout, ShardContents, Target
from piecework.corpus.layouts.megatron import Megatron
from piecework.corpus.layouts.npy import Npy
from piecework.corpus.layouts.parquet import Parquet

__all__ = ["LAYOUTS", "Layout", "ShardContents", "Target"]

LAYOUTS: dict[str, type[Layout]] = {
    "npy": Npy,
    "parquet": Parquet,
    "megatron": Megatron,
    "nanogpt": NanoGpt,
    "llm.c": LlmC,
    "datatrove": Datatrove,
}
"""The formats by name."""

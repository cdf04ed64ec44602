"""The output formats of a corpus run, by name."""

from piecework.corpus._layouts.datatrove import Datatrove
from piecework.corpus._layouts.flat import LlmC, NanoGpt
from piecework.corpus._layouts.layout import Layout
from piecework.corpus._layouts.megatron import Megatron
from piecework.corpus._layouts.npy import Npy
from piecework.corpus._layouts.parquet import Parquet

__all__ = ["LAYOUTS"]

LAYOUTS: dict[str, type[Layout]] = {
    "npy": Npy,
    "parquet": Parquet,
    "megatron": Megatron,
    "nanogpt": NanoGpt,
    "llm.c": LlmC,
    "datatrove": Datatrove,
}
"""The formats by name."""

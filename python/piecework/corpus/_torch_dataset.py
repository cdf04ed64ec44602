"""Reads a tokenized corpus as a dataset of torch."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, TypeAlias

from piecework.errors import MissingExtraError

if TYPE_CHECKING:
    from torch import Tensor
    from torch.utils.data import Dataset as DatasetOfTorch

    from piecework.corpus._dataset import Dataset

_HAS_TORCH = importlib.util.find_spec("torch") is not None
if TYPE_CHECKING:
    _Base: TypeAlias = DatasetOfTorch[Tensor]
else:
    _Base = importlib.import_module("torch.utils.data").Dataset if _HAS_TORCH else object


class TorchDataset(_Base):  # type: ignore[misc]  # a class of torch, or object
    """Reads the rows of a tokenized corpus as tensors.

    Raises:
        MissingExtraError: torch is not installed.
    """

    def __init__(self, rows: Dataset) -> None:
        """Wraps a dataset."""
        if not _HAS_TORCH:
            message = "a dataset of tensors requires the package torch"
            raise MissingExtraError(message, hint="install it: pip install torch")
        self._rows = rows

    def __len__(self) -> int:
        """Returns the number of rows."""
        return len(self._rows)

    def __getitem__(self, row: int) -> Tensor:
        """Returns the ids of a row, a tensor of int64."""
        torch = importlib.import_module("torch")
        ids: Tensor = torch.from_numpy(self._rows[row].astype("int64"))
        return ids

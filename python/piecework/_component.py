"""What normalizers and pre-tokenizers have in common: settings that read as JSON."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, ClassVar


class Component:
    """A stage's settings: immutable, comparable, picklable; the core holds the algorithm."""

    type_name: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Give the component as ``tokenizer.json`` writes it.

        Returns:
            A dictionary of JSON values with the member ``type``.
        """
        fields = dataclasses.fields(self)  # type: ignore[arg-type]  # every component is a dataclass
        return {"type": self.type_name} | {f.name: getattr(self, f.name) for f in fields}


def splitter_json(normalizer: Component | None, pre_tokenizer: Component | None) -> str:
    """Give both stages as the core reads them."""
    for name, stage in (("normalizer", normalizer), ("pre_tokenizer", pre_tokenizer)):
        if stage is not None and not isinstance(stage, Component):
            raise TypeError(f"{name} must be one of piecework.{name}s, or None, not {stage!r}")
    parts = {
        "normalizer": normalizer and normalizer.to_dict(),
        "pre_tokenizer": pre_tokenizer and pre_tokenizer.to_dict(),
    }
    return json.dumps(parts)

"""Serves a page on this machine that shows what tokenizers do: texts, trainings, vocabularies and languages.

`docs/play.md` describes the page and its limits. It shows the data of `explain`, `compare`, `evaluate`, `lint` and `trace`.
"""

from piecework.play.app import create_app
from piecework.play.server import serve
from piecework.play.session import Session

__all__ = ["Session", "create_app", "serve"]

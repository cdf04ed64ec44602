"""Finds the groups of files that an evaluation is of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from piecework.arguments import as_corpus
from piecework.engines import check_engine
from piecework.errors import ConfigError, wrong_type
from piecework.evaluation.run import groups_of
from piecework.io.document_batch import check_name

if TYPE_CHECKING:
    from piecework.engines import Engine
    from piecework.io.corpus import Corpus

__all__ = ["corpus_groups"]


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
    groups = groups_of(texts) if isinstance(texts, Mapping) else {None: texts}
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

"""Prunes a vocabulary by its use on a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from piecework._exceptions import warn
from piecework._messages import shown, wrong_type
from piecework._settings.arguments import ArrowColumn, check_flag, check_index, check_threads
from piecework.errors import ConfigError, CountsError, VocabularyError
from piecework.surgery._change import VocabularyChange, map_of_ids, only_given
from piecework.surgery._models import reduced
from piecework.surgery._required import by_need, parts_of, required_ids
from piecework.surgery._usage import READ_ONCE, token_counts
from piecework.tokenizer._arguments import TokenizerLike, as_tokenizer
from piecework.tokenizer._rebuild import model_tree, rebuilt

if TYPE_CHECKING:
    import numpy.typing as npt

    from piecework._io.corpus import Corpus
    from piecework._progress import ProgressLike
    from piecework.corpus._counts import WordCounts
    from piecework.engines import Engine
    from piecework.tokenizer import Tokenizer


def prune(
    tokenizer: TokenizerLike,
    texts: Iterable[str] | ArrowColumn | Corpus | WordCounts | Mapping[str, int] | npt.NDArray[Any],
    *,
    vocab_size: int | None = None,
    min_count: int | None = None,
    keep: Iterable[str] = (),
    keep_alphabet: bool = True,
    force: bool = False,
    threads: int | None = None,
    engine: Engine | None = None,
    progress: ProgressLike = False,
) -> VocabularyChange:
    r"""Removes the tokens that texts use least, and renumbers the others in order of their ids.

    A text whose encoding has only kept tokens encodes to the same tokens; other texts encode to shorter ones. Never removed
    are added and special tokens, tokens that post-processing inserts, the unknown token, byte tokens, reserved, unused and
    user-defined entries, and what kept tokens of BPE are merged from ([docs/surgery.md](docs/surgery.md)).

    Args:
        tokenizer: The tokenizer.
        texts: Texts: an iterable of ``str``, a string column or a :class:`piecework.Corpus`; or words with their counts, as the
            tokenizer splits them; or an array of token counts, one for each id.
        vocab_size: The number of tokens to keep, special tokens included; of equally frequent ones the lower ids.
        min_count: The smallest count of a token to keep, instead of `vocab_size`.
        keep: More tokens to keep.
        keep_alphabet: Whether all single characters stay, so that no known character becomes unknown.
        force: Whether to remove more tokens than the texts have, which is otherwise an error, since so few texts say little
            about the use of a vocabulary.
        threads: The number of threads for encoding texts; by default one per core. The result does not depend on it.
        engine: Where the parts of a corpus are encoded, such as :class:`piecework.engines.Local`; by default in this process.
        progress: Whether to show progress, or a callback for it.

    Returns:
        The new tokenizer, without a record of a training, and the map from old ids to new ones.

    Raises:
        ConfigError: Neither or both of `vocab_size` and `min_count` are given, `vocab_size` is too small, or more tokens
            would be removed than the texts have.
        CountsError: The texts have no token, or the words were counted with another normalizer or pre-tokenizer.
        VocabularyError: A token of `keep` is not in the vocabulary, or an inserted token is not.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nh\nhu\nhug\n##u\n##g\n##s\n##gs\n")
    >>> change = prune(tok, ["hugs hug"], vocab_size=6)
    >>> change.removed, change.tokenizer.tokenize("hugs")
    (('hu', '##gs'), ['hug', '##s'])
    >>> change.id_map
    array([ 0,  1, -1,  2,  3,  4,  5, -1])
    """
    check_threads(threads)
    tok = as_tokenizer("tokenizer", tokenizer)
    keep_alphabet = check_flag("keep_alphabet", keep_alphabet)
    force = check_flag("force", force)
    limit = _limit(vocab_size, min_count)
    model, parts = model_tree(tok), parts_of(tok)
    _give_probabilities(tok, model)
    required = required_ids(tok, model, keep_alphabet=keep_alphabet) | _named(tok, keep)
    needed = by_need(sorted(required), parts)
    counts = token_counts(tok, texts, threads, progress, engine)
    if not counts.any():
        raise CountsError("the texts have no token", setting="texts", hint=READ_ONCE)
    vocab = tok.vocab
    if min_count is not None:
        used = [number for number in vocab.values() if counts[number] >= limit]
        kept = set(by_need([*needed, *used], parts))
    else:
        _check_size(limit, len(needed), len(vocab), keep_alphabet=keep_alphabet)
        by_use = sorted(vocab.values(), key=lambda number: (-int(counts[number]), number))
        kept = set(by_need([*needed, *by_use], parts)[:limit])
    if not force:
        _check_number_of_tokens(len(vocab) - len(kept), int(counts.sum()))
    new_ids = {number: place for place, number in enumerate(sorted(kept))}
    return VocabularyChange(
        tokenizer=rebuilt(tok, reduced(tok, model, new_ids), new_ids.__getitem__),
        id_map=map_of_ids(tok, new_ids),
        initial_rows={},
        removed=tuple(token for token, number in vocab.items() if number not in kept),
        added=(),
    )


def _limit(vocab_size: int | None, min_count: int | None) -> int:
    """Returns the number of tokens, or the smallest count."""
    name, given = only_given(vocab_size=vocab_size, min_count=min_count)
    limit = check_index(name, given)
    if isinstance(limit, bool) or limit < 1:
        raise ConfigError(f"expected an integer from 1 on, found {shown(limit)}", setting=name)
    return limit


def _named(tok: Tokenizer, names: Iterable[str]) -> set[int]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise wrong_type("keep", "an iterable of tokens", names)
    found = set()
    for name in names:
        number = tok.token_to_id(name)
        if number is None:
            raise VocabularyError(f"{shown(name)} is not in the vocabulary", setting="keep")
        found.add(number)
    return found


def _check_size(size: int, needed: int, tokens: int, *, keep_alphabet: bool) -> None:
    """Raises ConfigError for a size below the number of tokens that are never removed; warns if none is removed."""
    if size > tokens:
        problem = f"no token is removed, since the vocabulary has {tokens:,} tokens"
        warn(problem, setting="vocab_size", hint=f"pass a size below {tokens:,}")
    if size < needed:
        kinds = "special tokens, " + ("single characters, " if keep_alphabet else "")
        message = f"{size:,} is too small: {needed:,} tokens are never removed ({kinds}bytes and what they need)"
        hint = f"pass at least {needed:,}" + (", or `keep_alphabet=False`" if keep_alphabet else "")
        raise ConfigError(message, setting="vocab_size", hint=hint)


def _check_number_of_tokens(removed: int, tokens: int) -> None:
    """Raises ConfigError for texts with fewer tokens than are removed."""
    if removed > tokens:
        raise ConfigError(
            f"{removed:,} tokens would be removed, and the texts have only {tokens:,} tokens in all",
            setting="texts",
            hint="pass more text, or `force=True`",
        )


def _give_probabilities(tok: Tokenizer, model: dict[str, Any]) -> None:
    """Writes the probabilities of a likeliest segmentation into the model, if they come from counts of the training."""
    own = model.get("piecework") or {}
    if own.get("segmentation") != "likeliest" or own.get("probabilities") is not None:
        return
    counts = tok.training.token_counts or {}
    whole = sum(counts.values())
    own["probabilities"] = {token: count / whole for token, count in counts.items() if count}

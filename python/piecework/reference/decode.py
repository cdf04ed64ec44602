"""From tokens back to text: the inverse as far as there is one.

Normalization has lost what it lost; what can be undone is the splitting. A token with the prefix is
glued to its left neighbour, any other gets a space before it, and then a few spaces that English
does not write are taken out again. Each token is cleaned alone, before they are joined: `do` and
`not` stay apart as two tokens, and ` 's` closes up only if it is one.
"""

from collections.abc import Iterable

# (what is replaced, by what), in this order: the table of the reference.
CLEANUP = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


def join(tokens: Iterable[str], prefix: str = "##", *, cleanup: bool = True) -> str:
    """Joins tokens to text, as the WordPiece decoder of Hugging Face `tokenizers` does.

    Args:
        tokens: Entries of a vocabulary, special tokens left out or not.
        prefix: What continuing entries begin with; the first token keeps it, having nothing to
            continue. An empty one glues everything.
        cleanup: Take out spaces before punctuation and English contractions.

    Returns:
        The text. Cost: linear.

    >>> join(["hug", "##s", ",", "he", "said"])
    'hugs, he said'
    """
    return "".join(
        _clean(text) if cleanup else text
        for text in (_spaced(token, prefix, i == 0) for i, token in enumerate(tokens))
    )


def _spaced(token: str, prefix: str, first: bool) -> str:
    if first:
        return token
    return token[len(prefix) :] if token.startswith(prefix) else " " + token


def _clean(text: str) -> str:
    for dirty, tidy in CLEANUP:
        text = text.replace(dirty, tidy)
    return text

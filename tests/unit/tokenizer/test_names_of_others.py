"""Names of other libraries, which the errors replace."""

import pytest

import piecework as pw
from piecework.tokenizer._other_names import METHODS, OPTIONS

TOK = pw.Tokenizer.from_str("[UNK]\n[CLS]\n[SEP]\nhug\n##s\n")


@pytest.mark.parametrize("name", METHODS)
def test_an_attribute_of_another_library_has_advice(name: str) -> None:
    with pytest.raises(
        AttributeError, match=rf"^'Tokenizer' object has no attribute '{name}'; \w"
    ) as caught:
        getattr(TOK, name)
    assert METHODS[name] in str(caught.value)
    assert caught.value.name == name


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_of_another_library_has_advice(name: str) -> None:
    with pytest.raises(TypeError) as caught:
        TOK.encode("hugs", **{name: 1})
    assert OPTIONS[name] in str(caught.value)


def test_other_names_have_no_advice() -> None:
    with pytest.raises(AttributeError, match=r"^'Tokenizer' object has no attribute 'nothing'$"):
        _ = TOK.nothing  # type: ignore[attr-defined]
    assert not hasattr(TOK, "__array__")


def test_tokens_with_flags_may_be_made_special() -> None:
    tokens = [pw.AddedToken("<user>", lstrip=True), "<bot>"]
    tok = TOK.with_added_tokens(tokens, special=True)
    added = {token.content: token for token in tok.added_tokens.values()}
    user, bot = added["<user>"], added["<bot>"]
    assert (user.special, user.lstrip, user.normalized) == (True, True, False)
    assert (bot.special, bot.normalized) == (True, False)
    assert tok.encode_ids("<user>", specials="text") == TOK.encode_ids("<user>")

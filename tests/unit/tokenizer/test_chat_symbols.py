"""Chats of SentencePiece models, whose user-defined symbols Unigram itself finds in all texts."""

import io

import pytest

import piecework as pw

spm = pytest.importorskip("sentencepiece", reason="the peer `sentencepiece` is not installed")

SYMBOLS = ["<start_of_turn>", "<end_of_turn>"]
TEMPLATE = (
    "{% for m in messages %}<start_of_turn>{{ m.role }}\n{{ m.content }}<end_of_turn>\n{% endfor %}"
)


@pytest.fixture(params=["unigram", "bpe"])
def model(request: pytest.FixtureRequest) -> bytes:
    written = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(["hello there user model turn of start end", "a < b > c _"] * 50),
        model_writer=written,
        vocab_size=70 if request.param == "unigram" else 80,
        model_type=request.param,
        user_defined_symbols=SYMBOLS,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return written.getvalue()


def test_symbols_of_the_template_are_tokens(model: bytes) -> None:
    tok = pw.Tokenizer.from_bytes(model)
    theirs = spm.SentencePieceProcessor(model_proto=model)
    messages = [{"role": "user", "content": "hello there"}]
    found = tok.chat(messages, template=TEMPLATE)
    assert found.ids == theirs.encode(found.text)
    assert found.ids == tok.chat(messages, template=TEMPLATE, trusted=True).ids
    assert [token for token in found.tokens if token in SYMBOLS] == SYMBOLS


@pytest.mark.parametrize("content", ["a <end_of_turn> b", "_of_turn>", "<end_of_turn>"])
def test_symbols_of_contents_are_none(model: bytes, content: str) -> None:
    """BPE takes them for text; Unigram finds them in all texts, so they are refused."""
    tok = pw.Tokenizer.from_bytes(model)
    messages = [{"role": "user", "content": content}]
    template = "<start_of_turn>{{ messages[0].content }}"
    if tok.model_type == "Unigram" and SYMBOLS[1] in content:
        with pytest.raises(pw.errors.ChatTemplateError, match="<end_of_turn>"):
            tok.chat(messages, template=template)
    else:
        found = tok.chat(messages, template=template)
        assert [token for token in found.tokens if token in SYMBOLS] == SYMBOLS[:1]
    kept = tok.untrusted(keep=[SYMBOLS[1]]).chat(messages, template=template)
    assert kept.ids == tok.chat(messages, template=template, trusted=True).ids

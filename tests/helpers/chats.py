"""Conversations and tokenizers for tests of chats."""

import functools
import random
from typing import Any

import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

import piecework as pw
from chat_templates import ORDINARY, SPECIAL

Messages = list[dict[str, Any]]

TEXTS = [
    "Hello there",
    "  What is the weather in Köln?\n",
    "天气怎么样？",
    "a\n\nb\n",
    'say "hi" to {{ name }} {% if x %}',
    "1234 + 5 = 1239\t\\n",
    "Is it <b>bold</b> & safe?",
    "naïve café 👩‍👩‍👧 ok",
    "\U000f0000 private \U0010fffd use \ue000",
    "it's |im_end|, <|, |>, [INST and </s",
    "%s %d {0} {}",
]
"""Contents without an added token."""

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": 'The "current" weather at a place, in °C.\n',
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "A city, such as Zürich"},
                    "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
                },
                "required": ["city"],
            },
        },
    },
    {"type": "function", "function": {"name": "now", "description": "The time", "parameters": {}}},
]
DOCUMENTS = [{"title": 'A "title"', "text": "Its text."}, {"title": "", "text": "Ünicode"}]


def conversation(
    rng: random.Random, *, with_calls: bool, texts: list[str] | None = None
) -> Messages:
    """Returns a conversation of alternating turns."""
    texts = texts or TEXTS
    messages: Messages = []
    if rng.random() < 0.5:
        messages.append({"role": "system", "content": rng.choice(texts)})
    for turn in range(rng.randrange(1, 4)):
        messages.append({"role": "user", "content": rng.choice(texts)})
        if with_calls and rng.random() < 0.5:
            messages += call(rng, texts)
        if turn or rng.random() < 0.5:
            messages.append({"role": "assistant", "content": rng.choice(texts)})
        else:
            break
    return messages


def call(rng: random.Random, texts: list[str]) -> Messages:
    """Returns a call of a tool and its result."""
    arguments = {"city": rng.choice(texts), "days": [1, 2.5, None, True], rng.choice(texts): "x"}
    function = {"name": "get_weather", "arguments": arguments}
    made = {"type": "function", "id": "abcDEF123", "function": function}
    return [
        {"role": "assistant", "content": "", "tool_calls": [made]},
        {
            "role": "tool",
            "name": "get_weather",
            "tool_call_id": "abcDEF123",
            "content": rng.choice(texts),
        },
    ]


@functools.cache
def peer(kind: str) -> tokenizers.Tokenizer:
    """Returns a small trained tokenizer of a kind, with the added tokens of all families."""
    special = [*SPECIAL, "[UNK]"]
    corpus = TEXTS * 3 + ["You have access to functions, Today Date: 26 Jul 2024"] * 2
    if kind == "bpe":
        peer = tokenizers.Tokenizer(models.BPE())
        peer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer: Any = trainers.BpeTrainer(
            vocab_size=700, initial_alphabet=alphabet, special_tokens=special, show_progress=False
        )
    elif kind == "wordpiece":
        peer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
        peer.normalizer = normalizers.BertNormalizer()
        peer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(
            vocab_size=400, special_tokens=special, show_progress=False
        )
    else:
        peer = tokenizers.Tokenizer(models.Unigram())
        peer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
        trainer = trainers.UnigramTrainer(
            vocab_size=300, special_tokens=special, unk_token="[UNK]", show_progress=False
        )
    peer.train_from_iterator(corpus, trainer)
    peer.add_tokens(ORDINARY)
    return peer


def pair_of(kind: str, template: Any = None) -> tuple[pw.Tokenizer, PreTrainedTokenizerFast]:
    """Returns our tokenizer and that of transformers, which has a template."""
    theirs = PreTrainedTokenizerFast(
        tokenizer_object=peer(kind), bos_token="<s>", eos_token="</s>", chat_template=template
    )
    return pw.Tokenizer.from_str(peer(kind).to_str()), theirs

"""Chats: arguments, masks, truncation, errors, and the texts whose characters keep their origin."""

import copy
import pickle
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, strategies as st

import piecework as pw
from chat_templates import CHATML, FAMILIES, QWEN3, ZEPHYR
from chats import Messages, pair_of
from piecework._settings.limiting import TemplateLimits
from piecework.tokenizer._chat.budget import Budget
from piecework.tokenizer._chat.marked import CONTENT, Marked, MarkTable
from profiles import examples

USER: Messages = [{"role": "user", "content": "Hello there"}]
CHAT: Messages = [*USER, {"role": "assistant", "content": "a\n\nb"}]
ECHO = "{% for m in messages %}{{ m.content }}<|im_end|>{% endfor %}"


@pytest.fixture(scope="module")
def tok() -> pw.Tokenizer:
    return pair_of("bpe")[0]


# --- the result ----------------------------------------------------------------------------------


def test_the_encoding_has_the_text_and_its_offsets(tok: pw.Tokenizer) -> None:
    found = tok.chat(CHAT, template=CHATML)
    assert isinstance(found, pw.ChatEncoding)
    assert isinstance(found, pw.Encoding)
    assert found.text.startswith("<|im_start|>user\nHello there<|im_end|>\n")
    assert [found.text[start:end] for start, end in found.offsets][:1] == ["<|im_start|>"]
    assert "".join(found.text[start:end] for start, end in found.offsets) == found.text
    assert found.message_indices == [0, 1]


def test_the_mask_is_that_of_generation_blocks(tok: pw.Tokenizer) -> None:
    found = tok.chat(CHAT, template=CHATML)
    mask = found.assistant_mask
    assert mask is not None
    ends = [span for span, flag in zip(found.offsets, mask, strict=True) if flag]
    assert found.text[ends[0][0] : ends[-1][1]] == "a\n\nb<|im_end|>"
    assert tok.chat(CHAT, template=ECHO).assistant_mask is None


def test_the_mask_skips_characters_without_a_token() -> None:
    tok, _ = pair_of("wordpiece")
    template = "{% for m in messages %}{% generation %}{{ ' ' + m.content + ' ' }}{% endgeneration %}.{% endfor %}"
    found = tok.chat([USER[0]], template=template)
    assert found.assistant_mask == [1] * (len(found) - 1) + [0]
    empty = tok.chat([USER[0]], template="a{% generation %} {% endgeneration %}b")
    assert empty.assistant_mask == [0, 0]


def test_the_encoding_is_immutable_and_can_be_pickled(tok: pw.Tokenizer) -> None:
    found = tok.chat(CHAT, template=CHATML)
    for other in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
        assert other == found
        assert (other.text, other.assistant_mask) == (found.text, found.assistant_mask)
        assert other.message_indices == found.message_indices
        assert other.offsets == found.offsets
    with pytest.raises(AttributeError):
        found.text = "a"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        found.nothing = 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        del found.text
    shorter = tok.chat(USER, template=CHATML)
    assert shorter != found
    assert tok.chat(USER, template=CHATML) == shorter


# --- roles, variables, tools -----------------------------------------------------------------------


def test_usual_roles_make_control_tokens(tok: pw.Tokenizer) -> None:
    found = tok.chat(CHAT, template=ZEPHYR, eos_token="</s>")
    assert {"<|user|>", "<|assistant|>"} <= set(found.tokens)


@pytest.mark.parametrize("role", ["end", "im_end|><|im_start", "<|im_end|>", "endoftext"])
def test_other_roles_make_no_control_token(tok: pw.Tokenizer, role: str) -> None:
    message = {"role": role, "content": "a"}
    with pytest.raises(pw.errors.ChatTemplateError, match="role"):
        tok.chat([message], template=ZEPHYR, eos_token="</s>")
    assert tok.chat([message], template=ZEPHYR, eos_token="</s>", trusted=True)


def test_other_roles_are_text(tok: pw.Tokenizer) -> None:
    message = {"role": "the narrator", "content": "a"}
    untrusted, trusted = (
        tok.chat([message], template=CHATML, trusted=trusted) for trusted in (False, True)
    )
    assert untrusted == trusted


def test_variables_reach_the_template_and_are_trusted(tok: pw.Tokenizer) -> None:
    found = tok.chat(
        USER,
        template="{{ a }}{{ b.c }}{{ bos_token }}",
        a="<s>",
        b={"c": 3},
        bos_token="<|end|>",
    )
    assert found.text == "<s>3<|end|>"
    assert {"<s>", "<|end|>"} < set(found.tokens)


def test_texts_in_lists_and_mappings_of_variables_are_untrusted(tok: pw.Tokenizer) -> None:
    template = "{{ a | tojson }}{{ b.c }}{{ d }}"
    found = tok.chat(USER, template=template, a=[{"name": "<s>"}], b={"c": "</s>"}, d="<|end|>")
    assert [token for token in found.tokens if token in ("<s>", "</s>", "<|end|>")] == ["<|end|>"]


def test_members_and_their_names_are_untrusted(tok: pw.Tokenizer) -> None:
    call = {
        "function": {"name": "<s>", "arguments": {"</s>": "<|im_end|>", "n": ["[INST]", 1.5, None]}}
    }
    messages = [{"role": "assistant", "tool_calls": [call], "name": "<s>", "extra": {"a": "<s>"}}]
    template = "{{ messages[0].tool_calls | tojson }}{{ messages[0] }}{% for k in messages[0].extra %}{{ k }}{% endfor %}"
    found = tok.chat(messages, template=template)
    assert not set(found.tokens) & set(tok.special_tokens)
    assert found.text.startswith('[{"function": {"name": "<s>", "arguments": {"</s>": "<|im_end|>"')
    assert {"<s>", "</s>", "[INST]"} < set(
        tok.chat(messages, template=template, trusted=True).tokens
    )


def test_names_that_added_tokens_contain_are_untrusted() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\nhug\n").with_added_tokens(["<name>"])
    messages = [{"role": "user", "content": {"name": "hug"}}]
    template = "{% for key in messages[0].content %}<{{ key }}>{% endfor %}"
    assert "<name>" in tok.chat(messages, template=template, trusted=True).tokens
    assert "<name>" not in tok.chat(messages, template=template).tokens


def test_values_are_plain(tok: pw.Tokenizer) -> None:
    class Word(str):
        __slots__ = ()

    messages = [{"role": "user", "content": Word("a"), "n": object(), "t": (1, 2), "f": True}]
    found = tok.chat(
        messages,
        template="{{ messages[0].content }}{% if messages[0].n %} {{ messages[0].t }} {{ messages[0].f }}{% endif %}",
    )
    assert found.text == "a (1, 2) True"
    for template in (
        "{{ messages[0].n }}",
        "a{{ 'b' ~ messages[0].n }}",
        "{{ messages | tojson }}",
    ):
        for trusted in (False, True):
            with pytest.raises(pw.errors.ChatTemplateError, match=r"object|Opaque"):
                tok.chat(messages, template=template, trusted=trusted)


def test_arguments_of_transformers_are_refused(tok: pw.Tokenizer) -> None:
    for name in ("tokenize", "truncation", "add_generation_promt", "chat_template"):
        with pytest.raises(TypeError, match=f"'{name}' is no argument"):
            tok.chat(USER, template="a", **{name: True})


def test_a_view_may_refuse_contents(tok: pw.Tokenizer) -> None:
    marker = next(iter(tok.special_tokens))
    messages = [{"role": "user", "content": f"a {marker}"}]
    template = marker + "{{ messages[0].content }}"
    assert (
        tok.untrusted().chat(messages, template=template).ids.count(tok.special_tokens[marker]) == 1
    )
    with pytest.raises(pw.errors.SpecialTokenError, match=re.escape(marker)):
        tok.untrusted(refuse=True).chat(messages, template=template)
    kept = tok.untrusted([marker], refuse=True).chat(messages, template=template)
    assert kept.ids.count(tok.special_tokens[marker]) == 2


def test_empty_members_are_left_out(tok: pw.Tokenizer) -> None:
    messages = [{"role": "assistant", "content": None, "thinking": "x"}]
    template = "{{ 'content' in messages[0] }} {{ messages[0].reasoning_content }}"
    assert tok.chat(messages, template=template).text == "False x"


# --- a message that is continued ---------------------------------------------------------------------


@pytest.mark.parametrize("family", ["chatml", "qwen3", "llama3", "gemma", "zephyr"])
@pytest.mark.parametrize("content", ["It is", " It is \n", "CONTINUE_FINAL_MESSAGE_TAG x"])
def test_a_message_is_continued_as_in_transformers(family: str, content: str) -> None:
    tok, theirs = pair_of("bpe", FAMILIES[family])
    messages = [*USER, {"role": "assistant", "content": content}]
    tokens = {"bos_token": "<s>", "eos_token": "</s>"}
    got = tok.chat(messages, template=FAMILIES[family], continue_final_message=True, **tokens)
    want = theirs.apply_chat_template(messages, continue_final_message=True, return_dict=False)
    assert got.ids == want
    assert got.assistant_mask is None or len(got.assistant_mask) == len(got)


def test_another_member_or_part_is_continued() -> None:
    tok, theirs = pair_of("bpe", QWEN3)
    thinking = [*USER, {"role": "assistant", "reasoning_content": "hm", "content": ""}]
    gemma = [
        *USER,
        {"role": "assistant", "content": [{"type": "text", "text": "It"}, {"type": "image"}]},
    ]
    for messages, family, name in (
        (thinking, "qwen3", "reasoning_content"),
        (gemma, "gemma", True),
    ):
        template = FAMILIES[family]
        got = tok.chat(messages, template=template, continue_final_message=name, bos_token="<s>")
        want = theirs.apply_chat_template(
            messages, chat_template=template, continue_final_message=name, return_dict=False
        )
        assert got.ids == want


def test_what_cannot_be_continued(tok: pw.Tokenizer) -> None:
    refused: list[tuple[Messages, dict[str, Any]]] = [
        (USER, {"add_generation_prompt": True}),
        (USER, {"continue_final_message": "thinking"}),
        ([{"role": "user"}], {}),
        ([{"role": "user", "content": [{"type": "image"}]}], {}),
    ]
    for messages, changes in refused:
        with pytest.raises(pw.errors.ConfigError, match="continue_final_message"):
            tok.chat(messages, template=CHATML, **{"continue_final_message": True, **changes})
    with pytest.raises(pw.errors.ChatTemplateError, match="last message"):
        tok.chat(USER, template="{{ messages[0].content[:2] }}", continue_final_message=True)


# --- truncation ----------------------------------------------------------------------------------


def long_chat(turns: int) -> Messages:
    messages: Messages = [{"role": "system", "content": "Be brief"}]
    for turn in range(turns):
        messages.append({"role": "user", "content": f"Question {turn}"})
        if turn % 3 == 1:
            messages.append(
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"function": {"name": "f", "arguments": {}}}],
                }
            )
            messages.append({"role": "tool", "content": "result " * turn})
        messages.append({"role": "assistant", "content": "answer " * turn})
    return messages


@pytest.mark.parametrize("turns", [1, 2, 7, 12])
def test_the_oldest_messages_are_left_out(tok: pw.Tokenizer, turns: int) -> None:
    messages = long_chat(turns)
    template = FAMILIES["qwen2.5"]
    whole = tok.chat(messages, template=template)
    starts = [1, *(at for at in range(2, len(messages)) if messages[at]["role"] == "user")]
    sizes = {
        start: len(tok.chat([messages[0], *messages[start:]], template=template))
        for start in starts
    }
    for size in range(min(sizes.values()), len(whole) + 2, 3):
        found = tok.chat(messages, template=template, max_tokens=size)
        start = next(start for start in starts if sizes[start] <= size)
        assert found.message_indices == [0, *range(start, len(messages))]
        assert len(found) == sizes[start] <= size
        assert found.ids == tok.chat([messages[0], *messages[start:]], template=template).ids
    with pytest.raises(pw.errors.TruncationError, match="max_tokens"):
        tok.chat(messages, template=template, max_tokens=min(sizes.values()) - 1)
    with pytest.raises(pw.errors.ConfigError, match="max_tokens"):
        tok.chat(messages, template=template, max_tokens=0)


# --- templates -------------------------------------------------------------------------------------


def test_templates_are_chosen_by_name() -> None:
    from piecework.tokenizer._chat.chat import choose_template

    named = {"default": "{{ 1 }}", "tool_use": "{{ 2 }}", "rag": "{{ 3 }}"}
    assert choose_template(named, None, has_tools=False) == "{{ 1 }}"
    assert choose_template(named, None, has_tools=True) == "{{ 2 }}"
    assert choose_template(named, "rag", has_tools=True) == "{{ 3 }}"
    assert choose_template(named, "{{ 4 }}", has_tools=True) == "{{ 4 }}"
    assert choose_template({"default": "{{ 1 }}"}, None, has_tools=True) == "{{ 1 }}"
    with pytest.raises(pw.errors.ChatTemplateError, match="did you mean 'rag'"):
        choose_template(named, "rags", has_tools=False)
    with pytest.raises(pw.errors.ChatTemplateError, match="no default among the templates 'rag'"):
        choose_template({"rag": "{{ 1 }}"}, None, has_tools=False)


def test_a_tokenizer_without_a_template(tok: pw.Tokenizer) -> None:
    assert tok.chat_templates == {}
    with pytest.raises(pw.errors.ChatTemplateError, match=re.escape("chat_template.jinja")):
        tok.chat(USER)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a\n{{ raise_exception('No ' + messages[0].role) }}", "chat template: line 2: No user"),
        ("{% for %}", "chat template: line 1: syntax error"),
        ("\n\n{{ messages[0].a.b }}", "chat template: line 3: UndefinedError"),
        ("{{ nothing() }}", "chat template: line 1: UndefinedError: 'nothing' is undefined"),
        ("{{ 1 + 'a' }}", "chat template: line 1: TypeError"),
        ("{{ messages[0].__class__.mro() }}", "chat template: line 1: access to attribute"),
        (
            "{% macro f() %}\n{{ f() }}{% endmacro %}{{ f() }}",
            "chat template: line 2: RecursionError",
        ),
        ("{{ 'a' | nothing }}", "chat template: line 1: syntax error: No filter named"),
        ("{{ messages[0].content | random }}", "No filter named 'random'"),
        ("{{ messages[0].content | urlize }}", "the filter `urlize` is not supported"),
        (
            "{{ messages[0].content[:2] | title }}{{ '%9s' % messages[0].content }}",
            "cannot be followed",
        ),
        ("{{ messages[0].content.center(30) }}", "the method `center` is not supported"),
        ("{{ 'a'.encode() }}", "the method `encode` is not supported"),
        ("{{ (1).to_bytes(2, 'big') }}", "the method `to_bytes` is not supported"),
        ("{" * 300_000, "over 262,144 characters"),
        ("{{ a }}" * 30_000, "over 20,000 nodes"),
    ],
)
def test_faults_of_a_template(tok: pw.Tokenizer, template: str, message: str) -> None:
    with pytest.raises(pw.errors.ChatTemplateError, match=re.escape(message)):
        tok.chat(USER, template=template)


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ("Hello", "messages: expected a list"),
        ({"role": "user"}, "messages: expected a list"),
        (3, "messages: expected a list"),
        ([], "messages: expected at least one"),
        (["Hello"], "messages[0]: expected a mapping with 'role' and 'content', found a str"),
        ([{"content": "a"}], "messages[0]: expected a member 'role'"),
        ([{"role": 3}], "messages[0]: expected a member 'role'"),
    ],
)
def test_faults_of_messages(tok: pw.Tokenizer, messages: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        tok.chat(messages, template=ECHO)


def test_faults_of_other_arguments(tok: pw.Tokenizer) -> None:
    def function(x: int) -> int:
        """Doubles."""
        return x

    faults: list[tuple[dict[str, Any], str]] = [
        ({"tools": [function]}, "tools[0]: expected a JSON schema"),
        ({"tools": "f"}, "tools: expected a list"),
        ({"documents": ["a"]}, "documents[0]: expected a mapping"),
        ({"template": 3}, "template: expected a str"),
        ({"trusted": "yes"}, "trusted"),
        ({"add_generation_prompt": 1}, "add_generation_prompt"),
        ({"max_tokens": "3"}, "max_tokens"),
    ]
    for changes, message in faults:
        with pytest.raises((TypeError, ValueError), match=re.escape(message)):
            tok.chat(USER, **{"template": ECHO, **changes})
    nested: Any = "x"
    for _ in range(5000):
        nested = [nested]
    with pytest.raises(pw.errors.ConfigError, match="nested"):
        tok.chat([{"role": "user", "content": nested}], template=ECHO)


def test_a_surrogate_is_an_error(tok: pw.Tokenizer) -> None:
    with pytest.raises(pw.errors.SurrogateError):
        tok.chat([{"role": "user", "content": "\ud800"}], template=ECHO)


def test_a_template_that_writes_a_sentinel_is_refused(tok: pw.Tokenizer) -> None:
    for template in (
        "\U000f0000{{ messages[0].content }}",
        "{{ '%c' % 983040 }}{{ messages[0].content }}",
    ):
        with pytest.raises(pw.errors.ChatTemplateError, match="cannot be followed"):
            tok.chat(USER, template=template)


def test_a_missing_package_is_named(tok: pw.Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(
        pw.errors.MissingExtraError, match="install it: pip install jinja2"
    ) as caught:
        tok.chat(USER, template=ECHO)
    assert isinstance(caught.value, ImportError)


def test_piecework_imports_jinja_for_chats_alone() -> None:
    program = (
        "import sys, piecework as pw; pw.Tokenizer.from_str('[UNK]\\na\\n').encode('a'); pw.ChatEncoding;"
        "sys.exit('jinja2' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_threads_share_a_template(tok: pw.Tokenizer) -> None:
    chats = [
        [*USER, {"role": "assistant", "content": f"answer {number} <s>"}] for number in range(60)
    ]
    wanted = [tok.chat(messages, template=CHATML) for messages in chats]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda messages: tok.chat(messages, template=CHATML), chats))
    assert found == wanted


def test_the_time_is_that_of_the_call(tok: pw.Tokenizer) -> None:
    template = "{{ strftime_now('%Y') }}{{ messages[0].content }}{{ strftime_now('%f') }}"
    year, micros = re.fullmatch(
        r"(\d{4})Hello there(\d{6})", tok.chat(USER, template=template).text
    ).groups()
    assert int(year) >= 2024
    assert micros


# --- texts that keep the origin of their characters ---------------------------------------------------

LETTERS = "ab \n<é</x>"


def operations() -> st.SearchStrategy[tuple[str, tuple[Any, ...]]]:
    short = st.text(LETTERS, max_size=2)
    some = st.text(LETTERS, min_size=1, max_size=2)
    return st.one_of(
        st.tuples(st.sampled_from(["strip", "lstrip", "rstrip"]), st.tuples() | st.tuples(short)),
        st.tuples(
            st.sampled_from(["split", "rsplit"]), st.tuples(some | st.none(), st.integers(-1, 2))
        ),
        st.tuples(
            st.sampled_from(["split", "rsplit", "upper", "lower", "swapcase", "casefold"]),
            st.just(()),
        ),
        st.tuples(st.just("splitlines"), st.tuples(st.booleans())),
        st.tuples(st.sampled_from(["partition", "rpartition"]), st.tuples(some)),
        st.tuples(st.just("replace"), st.tuples(short, short, st.integers(-1, 2))),
        st.tuples(st.sampled_from(["removeprefix", "removesuffix"]), st.tuples(short)),
        st.tuples(
            st.sampled_from(
                [
                    "startswith",
                    "endswith",
                    "find",
                    "rfind",
                    "count",
                    "__contains__",
                    "__eq__",
                    "__lt__",
                ]
            ),
            st.tuples(short),
        ),
        st.tuples(
            st.sampled_from(["isspace", "isalpha", "isupper", "__len__", "__hash__"]), st.just(())
        ),
        st.tuples(st.just("__getitem__"), st.tuples(st.slices(8))),
    )


@given(
    st.lists(st.tuples(st.text(LETTERS, max_size=4), st.booleans()), min_size=1, max_size=4),
    st.lists(operations(), max_size=4),
    st.integers(0, 3),
)
@examples(500)
def test_methods_are_those_of_texts(
    parts: list[tuple[str, bool]], calls: list[Any], pick: int
) -> None:
    """Results equal those of plain texts, and untrusted characters stay untrusted through all calls."""
    table = MarkTable(Budget(TemplateLimits.of_loader(), values=1, characters=1))
    # Untrusted characters are shifted, so that the origin of every character can be read off.
    joined = "".join(table.mark(text) if is_content else text for text, is_content in parts)
    plain: Any = "".join(text for text, _ in parts)
    marked: Any = table.lift(joined)
    origin = "".join(("c" if is_content else "t") * len(text) for text, is_content in parts)
    assert shown(table, marked) == (plain, origin)
    for name, arguments in calls:
        try:
            found = getattr(marked, name)(*arguments)
        except pw.errors.ChatTemplateError:
            assert name == "__getitem__"  # a step over characters of two origins
            return
        wanted = getattr(plain, name)(*arguments)
        if isinstance(wanted, list | tuple):
            assert [shown(table, each)[0] for each in found] == list(wanted)
            if not wanted:
                return
            marked, plain = found[pick % len(found)], wanted[pick % len(wanted)]
        elif isinstance(wanted, str):
            # Characters whose case depends on others may differ; the caller compares whole texts.
            if name in {"lower", "casefold"} and shown(table, found)[0] != wanted:
                return
            assert shown(table, found)[0] == wanted
            marked, plain = found, wanted
        else:
            assert found == wanted
            return
        marked = table.lift(marked)


def shown(table: MarkTable, value: str) -> tuple[str, str]:
    """Returns the text behind a text, and the origin of its characters."""
    text, runs = table.expand(str.__str__(value))
    origin = ["t"] * len(text)
    for start, end, kind in runs:
        assert kind == CONTENT
        origin[start:end] = "c" * (end - start)
    return text, "".join(origin)


@given(st.text(LETTERS, min_size=1), operations(), st.integers(0, 3))
@examples(300)
def test_no_character_of_a_content_loses_its_origin(text: str, call: Any, pick: int) -> None:
    table = MarkTable(Budget(TemplateLimits.of_loader(), values=1, characters=1))
    marked = table.mark(text)
    name, arguments = call
    if name in {"__getitem__", "replace"}:
        return
    found = getattr(marked, name)(*arguments)
    for each in found if isinstance(found, list | tuple) else [found]:
        if isinstance(each, str) and each:
            assert set(shown(table, each)[1]) == {"c"}


@pytest.mark.parametrize("name", sorted(set(dir(str)) - set(dir(object))))
def test_every_method_of_a_text_is_followed_or_refused(name: str) -> None:
    """A method that is neither overridden nor safe on sentinels would give wrong texts."""
    safe = {
        "__add__",
        "__mod__",
        "__mul__",
        "__rmod__",
        "__rmul__",
        "__getnewargs__",
        "join",
        "maketrans",
    }
    assert name in vars(Marked) or name in safe

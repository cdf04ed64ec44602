"""Templates are programs: what they may compute is bounded."""

import time

import pytest

import piecework as pw
from piecework._settings.limiting import default_limits

MESSAGES = [{"role": "user", "content": "hug hug"}]
TOK = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")

LOOPS = {
    "nested loops": "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
    "a filtered loop": "{% for a in range(99999) %}{% for b in range(99999) if b < 0 %}{% endfor %}{% endfor %}",
    "a recursive loop": "{% for a in range(99999) recursive %}{{ loop(range(99999)) }}{% endfor %}",
    "calls": "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    "endless calls": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "selected items": "{% for a in range(99999) %}{% set x = range(99999) | select('none') | list %}{% endfor %}",
    "summed items": "{% for a in range(99999) %}{% set x = range(99999) | sum %}{% endfor %}",
    "members": "{% for a in range(99999) %}{% set x = -1 in range(99999) | list %}{% endfor %}",
    "letters": "{% for a in range(99999) %}{% for b in 'x' * 99999 %}{% endfor %}{% endfor %}",
    "callers": "{% macro m() %}{% for i in range(9999) %}{{ caller() }}{% endfor %}{% endmacro %}"
    "{% call m() %}{% call m() %}{% call m() %}{% endcall %}{% endcall %}{% endcall %}",
    "comparisons": "{% set x = 'a' * 9999999 %}{% set y = 'a' * 9999999 %}{% for a in range(99999) %}{% if x == y %}{% endif %}{% endfor %}",
    "searches": "{% set x = 'a' * 9999999 %}{% for a in range(99999) %}{% set y = x.find('b') %}{% endfor %}",
    "long bodies": "{% for a in range(99999) %}" + "{{ a }}" * 6000 + "{% endfor %}",
    "calls of a long body": "{% macro f() %}" + "{{ a }}" * 6000 + "{% endmacro %}"
    "{% for a in range(99999) %}{% set x = f() %}{% endfor %}",
    "smallest letters": "{% set x = 'ab' * 8000000 %}{% for a in range(99) %}{% set y = x | min %}{% endfor %}",
    "counts of nested lists": "{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(15) %}{% set ns.a = [ns.a, ns.a] %}"
    "{% set ns.b = [ns.b, ns.b] %}{% endfor %}{% for i in range(9999) %}{% set x = [ns.a].count(ns.b) %}{% endfor %}",
    "sums of lists": "{% set ns = namespace(x=[]) %}{% for a in range(99999) %}{% set ns.x = ns.x + [a] %}{% endfor %}",
}


def looped(expression: str, **values: str) -> str:
    """Returns a template that computes an expression without end; the values are set before."""
    before = "".join(f"{{% set {name} = {value} %}}" for name, value in values.items())
    loops = "{% for i in range(99999) %}{% for j in range(99999) %}"
    return f"{before}{loops}{{% set z = {expression} %}}{{% endfor %}}{{% endfor %}}"


SHORT = {"x": "'a' * 29990", "y": "'a' * 50 ~ 'b' ~ 'a' * 48"}
"""A search of these compares each place."""
LAST = {"x": "'a' * 1002000", "y": "'a' * 500000 ~ 'b' ~ 'a' * 499999"}
"""A search of these compares each of the last places."""
LARGE = {"x": "'é' * 1000000"}

GROUP = "range(10000) | groupby('real.imag') | first"
"""A pair of a value and a list, in a class of Jinja's."""

READING = {
    **{f"{name} of a short text": looped(f"x.{name}(y)", **SHORT) for name in ("find", "rfind")},
    **{f"{name} near the end": looped(f"x.{name}(y)", **LAST) for name in ("count", "rfind")},
    **{
        f"{name} without a find": looped(f"x.{name}(y)", **SHORT)
        for name in ("split", "rsplit", "partition", "rpartition")
    },
    "replace without a find": looped("x.replace(y, 'c')", **SHORT),
    "in": looped("y in x", **SHORT),
    "a test of in": looped("y is in x", **SHORT),
    "a selection by in": looped("[y] | select('in', x) | list", **SHORT),
    "long texts": looped("x.rfind(y)", x="'a' * 500000", y="'a' * 250000 ~ 'b'"),
    **{
        f"{name} of many characters": looped(f"x.{name}(y)", **LARGE, y="'a' * 500000 ~ 'é'")
        for name in ("strip", "lstrip", "rstrip")
    },
    "a trim of many characters": looped("x | trim(y)", **LARGE, y="'a' * 500000 ~ 'é'"),
    **{
        name: looped(f"x.{name}()", **LARGE)
        for name in ("islower", "isalpha", "isprintable", "lower", "swapcase", "strip", "split")
    },
    **{
        f"the filter {name}": looped(f"x | {name}", x="'-a' * 500")
        for name in ("title", "upper", "e", "capitalize", "min", "unique", "list", "tojson")
    },
    "a test of lower": looped("x is lower", **LARGE),
    "comparisons of texts": looped("x == y", **LARGE, y="'é' * 1000000"),
    "orders of texts": looped("x <= y", **LARGE, y="'é' * 1000000"),
    "a test of comparisons": looped("x is ge(y)", **LARGE, y="'é' * 1000000"),
    "lines": looped("x.splitlines()", **LARGE),
    "slices": looped("x[::-1]", **LARGE),
    "joins": looped("'-'.join(x)", x="[''] * 10000"),
    "an indentation": looped("x | indent", x="'\n' * 1000"),
    "JSON of a number": looped("1 | tojson(indent=1)"),
    "JSON of lists": looped("x | tojson(indent=1)", x="[[1]] * 1000"),
    "numbers of a range": looped("1.5 in x", x="range(99999)"),
    "values of a mapping": looped("1.5 in x", x="dict.fromkeys(range(99999), 1).values()"),
    "items of a mapping": looped("x == x", x="dict.fromkeys(range(9999), 1).items()"),
    "joined values": looped("x | join", x="dict.fromkeys(range(9999), 1).values()"),
    "selected texts": looped("y in [x] | select('string')", **LARGE, y="'é' * 1000000"),
    "arguments": looped("loop.cycle(*x)", x="[1] * 10000"),
    "comparisons of groups": looped("x == y", x=GROUP, y=GROUP),
    "missing attributes": looped("x.missing", x="'a'"),
    "escaped texts": looped("x % y", x="'%s' | safe", y="'<' * 1000"),
    "sums of escaped texts": looped("x + y", x="'%s' | safe", y="'<' * 1000"),
    "forms of times": looped("strftime_now('%c' * 400)"),
    "equal hashes": "{% set x = dict.fromkeys(range(0, 99999 * (2 ** 61 - 1), 2 ** 61 - 1)) %}",
    "equal hashes of items": "{{ range(0, 99999 * (2 ** 61 - 1), 2 ** 61 - 1) | unique | list }}",
    "equal hashes of attributes": "{{ range(0, 99999 * (2 ** 61 - 1), 2 ** 61 - 1) | batch(1) | unique(attribute=0) | list }}",
    "equal hashes of pairs": "{{ dict(range(0, 99999 * (2 ** 61 - 1), 2 ** 61 - 1) | batch(2)) }}",
}
"""Steps that read long texts, or many values."""

TEXTS = {
    "output": "{% for a in range(99999) %}{{ 'x' * 9999 }}{% endfor %}",
    "a block": "{% set x %}{% for a in range(99999) %}{{ 'x' * 9999 }}{% endfor %}{% endset %}",
    "a product": "{{ 'x' * 1000000000 }}",
    "a product of lists": "{{ [0] * 1000000000 }}",
    "a power": "{{ 9 ** 99999999 }}",
    "products of numbers": "{% set ns = namespace(x=9) %}{% for a in range(99) %}{% set ns.x = ns.x * ns.x %}{% endfor %}",
    "joins": "{% set ns = namespace(x='aa') %}{% for a in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
    "sums": "{% set ns = namespace(x='aa') %}{% for a in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "sums of lists": "{% set ns = namespace(x=[1, 2]) %}{% for a in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "nested lists": "{% set ns = namespace(x=[]) %}{% for a in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
    "nested tuples": "{% set ns = namespace(x=0) %}{% for a in range(99) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ {ns.x: 1} }}",
    "nested dictionaries": "{% set ns = namespace(x={}) %}{% for a in range(99) %}{% set ns.x = dict(a=ns.x, b=ns.x) %}{% endfor %}",
    "nested namespaces": "{% set ns = namespace(x=0) %}{% for a in range(99) %}{% set ns.x = namespace(a=ns.x, b=ns.x) %}{% endfor %}{{ ns.x }}",
    "nested batches": "{% set ns = namespace(x=[0]) %}{% for a in range(99) %}{% set ns.x = (ns.x + ns.x) | batch(999) | list %}{% endfor %}",
    "a width": "{{ 'x' | center(1000000000) }}",
    "a width of a method": "{{ 'x'.ljust(1000000000) }}",
    "a width of a filter": "{{ ['x', 'y'] | join('\n') | indent(1000000000) }}",
    "a width of a format": "{{ '%1000000000d' % 1 }}",
    "a width of an argument": "{{ '%*d' % (1000000000, 1) }}",
    "a width of format": "{{ '{:>1000000000}'.format('x') }}",
    "a width of an argument of format": "{{ '{:>{}}'.format('x', 1000000000) }}",
    "a width of a filter of formats": "{{ '%1000000000d' | format(1) }}",
    "batches": "{{ [1] | batch(1000000000, 0) | list }}",
    "slices": "{{ [1] | slice(1000000000) | list }}",
    "an indentation": "{{ [1] | tojson(indent=1000000000) }}",
    "a replacement": "{% set x = 'x' * 9999999 %}{{ x.replace('x', x) }}",
    "a replacement by a filter": "{% set x = 'x' * 9999999 %}{{ x | replace('x', x) }}",
    "a separator": "{% set x = 'x' * 9999999 %}{{ x.join('y' * 9999) }}",
    "a separator of a filter": "{% set x = 'x' * 9999999 %}{{ range(9999) | join(x) }}",
    "formats": "{% set x = 'x' * 9999999 %}{{ ('%s' * 9999) % ([x] * 9999) }}",
    "named formats": "{% set x = 'x' * 9999999 %}{{ ('{0}' * 9999).format(x) }}",
    "tabs": "{{ ('\t' * 999).expandtabs(1000000000) }}",
    "random texts": "{{ lipsum(100000) }}",
    "a quotient": "{% set a = ('f' * 8000000) | int(0, 16) %}{{ a // (a - 1) }}",
    "a sum of lists": "{{ ([[1]] * 300000) | sum(start=[]) }}",
    "a text as indentation": "{{ ('\n' * 100000) | indent('x' * 1000000, blank=true) }}",
    "a text as indentation of JSON": "{{ ([1] * 100000) | tojson(indent='x' * 100000) }}",
    "a separator of a long list": "{{ range(100000) | join('x' * 1000000) }}",
    "many widths": "{{ ('{0:>9999}' * 1000000).format('x') }}",
    "many widths of a mapping": "{{ (('%(a)9999s' * 1000000) % {'a': 1}) }}",
    "many precisions": "{{ ('{0:.9999f}' * 300000).format(1.5) }}",
    "letters of a long text": "{{ ('中' * 16000000) | list }}",
    "parts of a long text": "{{ ('a ' * 8000000).split() }}",
    "kept texts": "{% set ns = namespace(x=0) %}{% for a in range(150) %}{% set ns.x = [ns.x, 'é' * 9999999] %}{% endfor %}",
    "bytes": "{{ (1).to_bytes(3500000000, 'big') }}",
    "a time": "{{ strftime_now('%9999Y' * 100) }}",
    "decimals": "{{ 1 | round(1000000000) }}",
    "a range": "{% for a in range(1000000000) %}{% endfor %}",
    "upper case": "{% set ns = namespace(x='ß' * 9999999) %}{% for a in range(9) %}{% set ns.x = ns.x.upper() + ns.x %}{% endfor %}",
}


LIMITS = (
    r"chat template: (line \d: )?(the template (computes|writes|makes|asks for a width)|a number of over|the (filter|method) `\w+` is not"
    r"|`\w+` (of lists|to over|with)|the form of a time|RecursionError|OverflowError: Range too big|UndefinedError: 'lipsum')"
)
"""The messages of the limits themselves."""


def check_refused(template: str) -> None:
    started = time.process_time()
    for trusted in (True, False):
        with pytest.raises(pw.errors.ChatTemplateError, match=LIMITS):
            TOK.chat(MESSAGES, template=template, trusted=trusted)
    assert time.process_time() - started < 8


@pytest.mark.parametrize("name", LOOPS)
def test_steps_are_bounded(name: str) -> None:
    check_refused(LOOPS[name])


@pytest.mark.parametrize("name", READING)
def test_what_is_read_is_counted(name: str) -> None:
    check_refused(READING[name])


def test_the_steps_of_sentinels_are_counted() -> None:
    """A replacement in a content takes many times as long as one in a text of the template."""
    template = (
        "{% for i in range(2000) %}{% set x = messages[0].content.replace('u', '') %}{% endfor %}"
    )
    messages = [{"role": "user", "content": "u" * 200}]
    assert TOK.chat(messages, template=template, trusted=True).text == ""
    with pytest.raises(pw.errors.ChatTemplateError, match="limit of steps"):
        TOK.chat(messages, template=template)


def test_long_contents_are_no_hostile_ones() -> None:
    """All that published templates do with a content may be done with one of a megabyte."""
    template = (
        "{% set c = messages[0].content %}{{ c.split('</think>')[-1].lstrip('\\n') | trim | length }}"
        "{{ '</think>' in c and c.startswith('hug') and c.rfind('<') > 0 }}"
        "{{ c.rsplit('</think>', 1)[0].strip() | length }}{{ c.splitlines() | length }}"
        "{{ c | tojson | length }}{{ c | replace('hug', 'a') | length }}{{ 'no' in c | lower }}{{ c == 'a' }}"
    )
    content = "hug</think>" + "hug \n" * 200_000
    for trusted in (True, False):
        text = TOK.chat(
            [{"role": "user", "content": content}], template=template, trusted=trusted
        ).text
        assert text.startswith("999998")
        assert text.endswith("FalseFalse")


def test_the_time_of_compiling_does_not_grow_with_the_square_of_names() -> None:
    names = "".join(f"{{% set a{number} = a{number + 1} %}}" for number in range(5000))
    started = time.process_time()
    assert TOK.chat(MESSAGES, template=names + "{% set a5000 = 'a' ~ b %}x").text == "x"
    parts = ("{{ " + " and ".join(["a"] * 150) + " }}") * 20
    assert TOK.chat(MESSAGES, template=parts).text == ""
    assert time.process_time() - started < 8


@pytest.mark.parametrize("name", TEXTS)
def test_lengths_are_bounded(name: str) -> None:
    check_refused(TEXTS[name])


NESTED = {
    "arguments": "{% set ns.x = cycler(ns.x, ns.x).items %}",
    "namespaces": "{% set n = namespace() %}{% set n.x = ns.x %}{% set n.y = ns.x %}{% set ns.x = n %}",
}
"""Statements that double a value, without a literal."""


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize(
    "use",
    [
        "{ns.x: 1}",
        "ns.x | trim",
        "ns.x | replace('a', 'b')",
        "ns.x | format(1)",
        "ns.x is lower",
        "raise_exception(ns.x)",
    ],
)
def test_nested_values_are_measured_before_they_are_read(name: str, use: str) -> None:
    template = "{% set ns = namespace(x=0) %}{% for a in range(45) %}" + NESTED[name]
    with (
        default_limits(pw.Limits(template_steps=30_000)),
        pytest.raises(pw.errors.ChatTemplateError, match="limit of steps"),
    ):
        TOK.chat(MESSAGES, template=template + "{% endfor %}{{ " + use + " }}", trusted=True)


@pytest.mark.parametrize("name", ["varargs", "kwargs"])
def test_macros_read_no_arguments_that_they_do_not_declare(name: str) -> None:
    """They may be nested values that were never measured."""
    template = "{% macro m() %}\n{{ " + name + " | length }}{% endmacro %}{{ m() }}"
    error = rf"chat template: line 2: the name `{name}` is not supported .*; declare the arguments"
    with pytest.raises(pw.errors.ChatTemplateError, match=error):
        TOK.chat(MESSAGES, template=template)


def test_limits_do_not_depend_on_the_machine() -> None:
    """A loop of a few million steps works every time, one of more never."""
    works = "{% for a in range(9000) %}{% for b in range(300) %}{% endfor %}{% endfor %}x"
    assert TOK.chat(MESSAGES, template=works).text == "x"
    with pytest.raises(pw.errors.ChatTemplateError, match="limit of steps"):
        TOK.chat(MESSAGES, template=works.replace("300", "700"))


def test_the_memory_of_sentinels_is_bounded() -> None:
    template = "{% for a in range(1500) %}{% set x = messages[0].content[a:] %}{% endfor %}"
    messages = [{"role": "user", "content": "hug " * 250_000}]
    short = template.replace("1500", "50")
    assert TOK.chat(messages, template=short, trusted=True).text == ""
    for trusted in (True, False):
        with pytest.raises(pw.errors.ChatTemplateError, match=r"too many long texts|limit of"):
            TOK.chat(messages, template=template, trusted=trusted)


def test_limits_grow_with_the_chat() -> None:
    """A template whose time is the square of the number of messages."""
    template = (
        "{% for m in messages %}{{ messages | selectattr('role', 'equalto', 'user') | list | length }}"
        "{% if messages is iterable and messages[loop.index0:] %} {% endif %}{% endfor %}"
    )
    messages = [{"role": "user", "content": "a"}] * 700
    assert TOK.chat(messages, template=template, trusted=True).text == "700 " * 700
    long = [{"role": "user", "content": "hug " * 10_000_000}]
    assert (
        len(TOK.chat(long, template="{{ messages[0].content }}", trusted=True).text) == 40_000_000
    )


SANDBOXED = {
    "{{ messages.__class__ }}": "",
    "{{ ''.__class__.__mro__ }}": "access to attribute '__class__'",
    "{{ messages[0].content.__class__ }}": "",
    "{{ raise_exception.__globals__ }}": "",
    "{{ messages.append(1) }}": "access to attribute 'append'",
    "{{ messages[0].update(a=1) }}": "access to attribute 'update'",
    "{{ namespace(_a=1) }}": "begins with an underscore",
    "{% set ns = namespace() %}{% set ns.__class__ = 1 %}": "begins with an underscore",
    "{{ self._TemplateReference__context }}": "",
    "{{ ''['__class__']() }}": "access to attribute '__class__'",
    "{{ '{0.__class__.__mro__}'.format(1) }}": "access to attribute '__class__'",
    "{{ ''.join.__self__ }}": "",
    "{{ cycler.__init__ }}": "",
    "{{ dict.__call__ }}": "",
    "{% for a in [1] %}{{ loop._iterable }}{% endfor %}": "",
    "{% for a in [1] %}{{ loop['_iterable'] }}{% endfor %}": "",
    "{{ (['{0.__class__}'] | map(attribute='format') | list)[0](1) }}": "",
    "{{ ('{0.__class__}' | attr('format'))(1) }}": "the filter `attr` is not supported",
    "{{ 'x'.translate({120: 'y'}) }}": "the method `translate` is not supported",
    "{{ 'x' | striptags }}": "the filter `striptags` is not supported",
    "{% include 'a' %}": "no loader",
    "{% import 'a' as b %}": "no loader",
    "{% extends 'a' %}": "no loader",
}


@pytest.mark.parametrize("template", SANDBOXED)
def test_templates_stay_in_the_sandbox(template: str) -> None:
    if not SANDBOXED[template]:  # as a member that does not exist
        assert TOK.chat(MESSAGES, template=template, trusted=True).text == ""
        return
    with pytest.raises(pw.errors.ChatTemplateError, match=SANDBOXED[template]):
        TOK.chat(MESSAGES, template=template, trusted=True)


@pytest.mark.parametrize(
    "condition",
    [
        "(c | e) | length == 1",
        "'%.3s' % c == c",
        "c | string | safe | length > 1",
        "c | safe == '[SEP]'",
    ],
)
def test_a_content_chooses_no_other_branch(condition: str) -> None:
    tok = pw.Tokenizer.from_str("[UNK]\n[SEP]\nhug\n")
    messages = [{"role": "user", "content": "[SEP]"}]
    for one, two in (("{{ c }}", "[SEP]"), ("[SEP]", "{{ c }}")):
        template = (
            "{% set c = messages[0].content %}{% if "
            + condition
            + " %}"
            + one
            + "{% else %}"
            + two
            + "{% endif %}"
        )
        with pytest.raises(pw.errors.ChatTemplateError, match="takes another branch"):
            tok.chat(messages, template=template)


def test_deep_values_are_errors_of_the_chat() -> None:
    nested: dict[str, object] = {}
    for _ in range(400):
        nested = {"a": nested}
    echo = "{{ messages | tojson }}"
    for given in ({"tools": [nested]}, {"documents": [nested]}, {"controls": nested}):
        with pytest.raises(pw.errors.ConfigError, match="nested too deeply"):
            TOK.chat(MESSAGES, template=echo, **given)  # type: ignore[arg-type]
    with pytest.raises(pw.errors.ConfigError, match="nested too deeply"):
        TOK.chat([{"role": "user", "content": nested}], template=echo)


def test_a_break_ends_the_block_of_the_assistant() -> None:
    template = (
        "{% for m in messages %}{% generation %}hug{% if true %}{% break %}{% endif %}"
        "{% endgeneration %}{% endfor %} hug"
    )
    assert TOK.chat(MESSAGES, template=template).assistant_mask == [1, 0]


def test_a_content_may_have_many_places_to_replace() -> None:
    messages = [{"role": "user", "content": "/think hug " * 200_000}]
    template = "{{ messages[0].content | replace('/think', '') | trim | length }}"
    assert TOK.chat(messages, template=template).text == str(200_000 * 5 - 2)


def test_contents_do_not_reach_a_template_as_their_own_text() -> None:
    """The attributes behind a sentinel are private."""
    tok = pw.Tokenizer.from_str("[UNK]\n[SEP]\nhug\n")
    messages = [{"role": "user", "content": "[SEP]"}]
    for expression in (
        "content._text",
        "content['_text']",
        "content | attr('_text')",
        "'{0._text}'.format(content)",
        "content._table",
        "content._mapped('x'.join)",
    ):
        try:
            found = tok.chat(
                messages, template="{% set content = messages[0].content %}{{ " + expression + " }}"
            )
        except pw.errors.ChatTemplateError:
            continue
        assert "[SEP]" not in found.tokens

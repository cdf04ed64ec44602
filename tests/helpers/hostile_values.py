"""Values that calls do not expect: of wrong types and shapes, out of range, and objects whose special methods raise or lie."""

import datetime as dt
import decimal
import fractions
import itertools
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa


class RaisedError(Exception):
    """Is raised by the special methods of hostile objects; a call may pass it on."""


def fail(*_arguments: object, **_options: object) -> Any:
    """Raises the error of hostile objects."""
    raise RaisedError


def cyclic() -> list[Any]:
    """Returns a list and a dict that contain each other."""
    made: list[Any] = []
    made.append({"a": made, "type": made})
    return made


def nested(depth: int) -> Any:
    """Returns a text in many lists."""
    made: Any = "a"
    for _ in range(depth):
        made = [made]
    return made


NUMBERS: list[Any] = [
    *(0, 1, 2, 3, 7, 255, 256, 65_536, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 10**30),
    *(-1, -2, -(2**31), -(2**63), -(2**64), 10**5000, True, False),
    *(0.0, -0.0, 0.5, 1.0, 1.5, -1.5, 1e308, 5e-324, math.nan, math.inf, -math.inf),
    *(1j, decimal.Decimal("NaN"), fractions.Fraction(1, 3), np.int8(-1), np.uint64(2**64 - 1)),
    *(np.float32("nan"), np.float64(0.1), np.bool_(1), np.datetime64("NaT"), np.str_("a")),
]
TEXTS: list[Any] = [
    *(
        "",
        "a",
        " ",
        "\0",
        "a\0b",
        "\ud800",
        "a\udfffb",
        "é\u0301",
        "\U0010ffff",
        "\u2028",
        "\ufeff",
    ),
    *("zzz", "[UNK]", "[CLS] low", "##a", "x" * 5000, "low " * 2000, "%s{}{0}\\", "{{ 1 / 0 }}"),
    *("(", "[a-", "(?<=a)b", "(a|a)*$", "\\1", "nan", "-1", "1e999", "[" * 3000, "{" * 3000),
    *('{"a": 1}', "null", "[]", "low\n", "\n", "C:\\x", "missing.txt", "."),
    *(
        b"",
        b"low",
        b"\xff\xfe",
        b"\0",
        bytearray(b"low"),
        memoryview(b"low"),
        memoryview(b"low")[::2],
    ),
    memoryview(np.zeros((2, 2))),
]
ARRAYS: list[Any] = [
    np.array([]),
    np.array(3),
    np.array([1, 2, 3]),
    np.array([1, 2, 3])[::-1],
    np.arange(6).reshape(2, 3),
    np.zeros((0, 3), dtype=np.int32),
    np.array([-1, 2**62]),
    np.array([2**64 - 1], dtype=np.uint64),
    np.array([1, 2], dtype=">i2"),
    np.array([1.5, math.nan]),
    np.array([1 + 1j]),
    np.array([True, False]),
    np.array(["low", "a\ud800"]),
    np.array([b"low"]),
    np.array(["low", None, 3], dtype=object),
    np.array([("a", 1)], dtype=[("x", "U1"), ("y", "i4")]),
    np.array(["2020-01-01"], dtype="datetime64[D]"),
    np.ma.masked_array([1, 2], [True, False]),
    np.broadcast_to(np.array(1), (3,)),
]
COLUMNS: list[Any] = [
    pa.array(["low", "lower"]),
    pa.array(["low", None]),
    pa.array(["low", "lower", "a"], pa.large_string())[1:],
    pa.array([], pa.string()),
    pa.array([None], pa.null()),
    pa.array([b"\xff"], pa.binary()),
    pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]
    ),
    pa.array(["low"], pa.string_view()),
    pa.array([1, 2]),
    pa.array([[1, 2], None, []]),
    pa.array([["a"]]),
    pa.array([{"a": 1}]),
    pa.array(["a", "b", "a"]).dictionary_encode(),
    pa.chunked_array([pa.array(["low"]), pa.array([], pa.string())]),
    pa.chunked_array([], pa.string()),
    pa.table({"text": ["low"]}),
    pa.record_batch({"text": ["low"]}),
    pa.scalar("low"),
    pa.schema([]),
]
OTHERS: list[Any] = [
    *(
        None,
        ...,
        NotImplemented,
        object(),
        object,
        int,
        str,
        type,
        len,
        print,
        fail,
        math,
        slice(None),
    ),
    *(range(3), dt.date(2020, 1, 1), Path("missing"), Path("low.txt"), Path()),
    *(Path("folder"), Path("a\0b"), Path("x" * 300), slice("a", None, 0), slice(-(2**70), 2**70)),
]
CONTAINERS: list[Callable[[], Any]] = [
    list,
    tuple,
    dict,
    set,
    frozenset,
    cyclic,
    lambda: nested(50),
    lambda: nested(20_000),
    lambda: iter([]),
    lambda: (each for each in ("low", 3, None)),
    lambda: (fail() for _ in range(3)),
    lambda: map(fail, [1]),
    lambda: zip("ab", [1, 2], strict=True),
    lambda: itertools.repeat("low", 3),
    lambda: mock.MagicMock(name="mock"),
    lambda: open("low.txt", "rb"),  # noqa: SIM115  # closed with the last reference
]


def ended(*_: object) -> Any:
    """Ends an iteration."""
    raise StopIteration


def item(_: object, key: object) -> Any:
    """Returns two items, as the protocol of sequences without `__iter__` wants."""
    if type(key) is not int:
        raise RaisedError
    return ["low", 1][key]


ENDLESS = {"__next__": [fail, ended], "__getitem__": [fail, item]}
"""Methods that would make an object endless if they always returned something, by what they do instead."""
ANSWERS: list[Callable[..., Any]] = [
    fail,
    lambda *_: None,
    lambda *_: -1,
    lambda *_: 2**70,
    lambda *_: 3,
    lambda *_: "low",
    lambda *_: b"low",
    lambda *_: True,
    lambda *_: iter(["low", 1]),
    lambda *_: ["low"],
    lambda self, *_: self,
    lambda *_: 0.5,
]
SPECIAL = """
__index__ __int__ __float__ __bool__ __len__ __iter__ __next__ __getitem__ __contains__ __str__ __repr__ __hash__ __eq__ __lt__
__call__ __fspath__ __array__ __arrow_c_stream__ __arrow_c_array__ __getattr__ __length_hint__ __reversed__ __format__ __enter__
__exit__ __buffer__ __add__ __mul__ __complex__ __dlpack__ keys items values get tolist encode decode split read run documents
""".split()


def odd_object(draw: random.Random) -> Any:
    """Returns an object with special methods that raise or lie, some of a built-in class."""
    base, *content = draw.choice(
        [
            *((object,), (object,), (str, "low"), (int, 1), (float, 0.5), (bytes, b"low")),
            *((list, ["low"]), (tuple, ("low", 1)), (dict, {"low": 1}), (set, {"low"})),
        ]
    )
    names = draw.sample(SPECIAL, draw.randrange(1, 5))
    methods = {name: draw.choice(ENDLESS.get(name, ANSWERS)) for name in names}
    made = type(f"Odd{base.__name__.title()}", (base,), methods)
    return made(*content)


ODD_OBJECTS = [odd_object(random.Random(number)) for number in range(300)]


def hostile(draw: random.Random, known: list[Any], depth: int = 2) -> Any:
    """Returns a value of any kind, some in containers that also hold values of `known`."""
    if depth and draw.random() < 0.25:
        return container(draw, known, depth - 1)
    kinds = [NUMBERS, TEXTS, ARRAYS, COLUMNS, OTHERS, ODD_OBJECTS, CONTAINERS, known or OTHERS]
    kind = draw.choice(kinds)
    return draw.choice(kind)() if kind is CONTAINERS else draw.choice(kind)


def container(draw: random.Random, known: list[Any], depth: int) -> Any:
    """Returns a container of hostile and other values."""
    items = [hostile(draw, known, depth) for _ in range(draw.randrange(1, 4))]
    kind = draw.choice([list, tuple, iter, dict, np.array])
    if kind is np.array:
        made = np.empty(len(items), dtype=object)
        for place, item in enumerate(items):
            made[place] = item
        return made
    if kind is dict:
        return dict(
            zip(draw.sample(["type", "a", "low", 3, None, ("a", 1)], 3), items, strict=False)
        )
    return kind(items)

"""Makes random calls of everything public, and reports errors of classes that no call may raise.

As a program, it makes the calls of one part, and prints a line of JSON for each fault, and their number at the end:

    python tests/helpers/random_calls.py FIRST TRIALS PART PARTS [NAME]

Each call has a name and a number, from which its arguments are drawn. The file `call` has those of the latest call, for
processes that end in it. A call may take ten seconds, and the process 8 GiB.
"""

import asyncio
import functools
import inspect
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import call_arguments
import call_objects
import piecework as pw
from hostile_values import RaisedError, hostile
from public_calls import LEFT_OUT, Subject, parameters, subjects

SECONDS = 10
MEMORY = 8 << 30

NATURAL = {
    "__getitem__": (KeyError, IndexError),
    "first_occurrence": (KeyError,),
    "__next__": (StopIteration,),
    "__setattr__": (AttributeError,),
    "__delattr__": (AttributeError,),
    "__getattr__": (AttributeError,),
}
"""The errors that the protocols of Python demand."""

OURS = (pw.PieceworkError, TypeError, ValueError, RaisedError)
AS_TOKENIZERS = (Exception, OverflowError)
"""The errors that `tokenizers` raises, and so `piecework.hf`; only these classes, not those derived from them."""
OF_VALUES = "sub-views are not implemented|cannot fit 'int' into an index-sized integer"
"""The messages of Python for a memoryview of two dimensions, and for an object whose `__len__` is too large."""
LOOP = asyncio.new_event_loop()
"""The loop of the asynchronous calls."""


class TooSlow(BaseException):
    """Ends a call that takes more than ten seconds."""


Arguments = tuple[list[Any], dict[str, Any]]


def drawn(draw: random.Random, call: Callable[..., Any], known: dict[str, list[Any]]) -> Arguments:
    """Returns arguments by position and by name: all well-formed in some calls, all hostile in others."""
    share, omitted = draw.choice([0.0, 0.5, 0.8, 1.0, 1.0]), draw.choice([0.5, 0.9, 1.0])
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for index, (name, parameter) in enumerate(parameters(call).items()):
        is_optional = parameter.default is not parameter.empty
        if is_optional and draw.random() < (0.1 if name in known else omitted):
            continue
        fitting = known.get(name) or by_name().get(name) or simple(parameter)
        value = value_of(draw, fitting, share)
        by_position = parameter.kind is parameter.POSITIONAL_ONLY or (
            parameter.kind is parameter.POSITIONAL_OR_KEYWORD and draw.random() < 0.5
        )
        if by_position and len(positional) == index:
            positional.append(value)
        elif parameter.kind is not parameter.POSITIONAL_ONLY:
            named[name] = value
    if draw.random() < 0.02:
        named["other"] = value_of(draw, everything(), 0.0)
    if draw.random() < 0.02 and not named:
        positional.append(value_of(draw, everything(), 0.0))
    return positional, named


def value_of(draw: random.Random, fitting: list[Any], share: float) -> Any:
    """Returns one of the values that fit, with a probability, or a hostile one."""
    if draw.random() < share:
        return call_objects.fresh(draw.choice(fitting))
    return hostile(draw, draw.choice([fitting, everything()]))


def simple(parameter: inspect.Parameter) -> list[Any]:
    """Returns the default of a parameter, and values of common types."""
    default = [] if parameter.default is parameter.empty else [parameter.default]
    return [*default, True, False, 1, "low", None, ["low"], 0.5]


@functools.cache
def by_name() -> dict[str, list[Any]]:
    """Returns well-formed arguments by name."""
    return call_arguments.arguments()


@functools.cache
def everything() -> list[Any]:
    """Returns all well-formed arguments, and objects of all classes."""
    arguments = [value for values in by_name().values() for value in values]
    return arguments + [value for values in call_objects.objects().values() for value in values[:2]]


async def awaited(call: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> Any:
    """Returns the result of an asynchronous call."""
    return await call(*positional, **named)


def used(result: Any) -> None:
    """Reads a result as a caller would: waits for it, iterates over its first items, and prints it."""
    if isinstance(result, Iterator):
        for _ in itertools.islice(result, 20):
            pass
    elif type(result).__module__.startswith("piecework"):
        repr(result)


def fault(subject: Subject, error: BaseException) -> str | None:
    """Returns what is wrong with an error; None for one that a call may raise."""
    text = text_of(error)
    last = subject.name.rpartition(".")[2]
    if re.search(r"\bbug\b|panicked|unreachable code|internal error|int_max_str_digits", text):
        return "is not for callers"
    if isinstance(error, NATURAL.get(last, ())):
        return None
    if subject.name.startswith("hf.") and type(error) in AS_TOKENIZERS:
        return None
    if re.search(OF_VALUES, text):
        return None
    if not isinstance(error, OURS):
        return f"is a {type(error).__name__}"
    return None


def text_of(error: BaseException) -> str:
    """Returns the class and the message of an error, whose `__str__` may fail."""
    try:
        return f"{type(error).__name__}: {str(error)[:300]}"
    except Exception as inner:  # noqa: BLE001  # the report shows it
        return f"{type(error).__name__}, whose str fails: {type(inner).__name__}"


def prepared(subject: Subject, number: int) -> tuple[Callable[..., Any], Arguments]:
    """Returns what a call calls, and its arguments."""
    draw = random.Random(f"{subject.name} {number}")
    call = subject.target(draw)
    return call, drawn(draw, call, subject.known)


def tried(subject: Subject, number: int) -> BaseException | None:
    """Makes one call; returns its error."""
    call, (positional, named) = prepared(subject, number)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        if "async_" in subject.name:
            LOOP.run_until_complete(awaited(call, positional, named))
        elif inspect.isclass(call):  # those of results check nothing, so their repr may fail
            call(*positional, **named)
        else:
            used(call(*positional, **named))
    except BaseException as error:  # noqa: BLE001  # its class is what is checked
        return error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def too_slow(*_arguments: object) -> None:
    """Ends a call, as a handler of signals."""
    raise TooSlow


def shown(subject: Subject, number: int) -> str:
    """Returns a call as a text, without the addresses of objects."""
    _, (positional, named) = prepared(subject, number)
    arguments = [brief(value) for value in positional]
    arguments += [f"{name}={brief(value)}" for name, value in named.items()]
    return f"{subject.name}({', '.join(arguments)})"


def brief(value: object) -> str:
    """Returns the start of a repr."""
    try:
        return re.sub(r" at 0x\w+", "", repr(value))[:100]
    except Exception:  # noqa: BLE001  # a hostile object
        return f"<{type(value).__name__}>"


def place(error: BaseException) -> str:
    """Returns the deepest line of piecework in a traceback."""
    lines, at = [""], error.__traceback__
    while at:
        before, is_ours, file = at.tb_frame.f_code.co_filename.rpartition("/piecework/")
        lines += [f"{file}:{at.tb_lineno}"] if is_ours and before else []
        at = at.tb_next
    return lines[-1]


def report(subject: Subject, number: int, wrong: str, error: BaseException) -> None:
    """Prints a fault."""
    line = {"name": subject.name, "number": number, "wrong": wrong, "place": place(error)}
    line |= {"error": text_of(error), "call": shown(subject, number)}
    print(json.dumps(line), flush=True)  # noqa: T201  # what the program is for


def needed(subject: Subject, trials: int) -> int:
    """Returns the number of calls of a subject; those without arguments are all alike."""
    has_arguments = bool(parameters(subject.target(random.Random(0))))
    return trials if has_arguments else min(trials, 100)


def tried_often(subject: Subject, numbers: range) -> int:
    """Makes the calls of a subject, reports their faults, and returns their number."""
    latest = os.open("../call", os.O_RDWR | os.O_CREAT)
    for number in numbers:
        os.pwrite(latest, f"{subject.name} {number}".ljust(200).encode(), 0)
        error = tried(subject, number)
        if error and (wrong := fault(subject, error)):
            report(subject, number, wrong, error)
    os.close(latest)
    return len(numbers)


def main() -> None:
    """Makes the calls of a part in the working folder, each subject with files of its own."""
    first, trials, part, parts = map(int, sys.argv[1:5])
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, too_slow)
    home = Path.cwd()
    files = home / "files"
    files.mkdir()
    os.chdir(files)
    call_objects.write_files()
    calls = 0
    for subject in subjects()[part::parts]:
        if subject.name in LEFT_OUT or subject.name not in (sys.argv[5:] or [subject.name]):
            continue
        os.chdir(shutil.copytree(files, home / "work"))
        calls += tried_often(subject, range(first, first + needed(subject, trials)))
        os.chdir(home)
        shutil.rmtree("work")
    print(calls, flush=True)  # noqa: T201  # as above


if __name__ == "__main__":
    main()

"""Runs the measurements: `make scaling`, or some of them: `make scaling ARGS=interrupts`, `make scaling ARGS="jieba chat"`.

The exit status is an error if the time of a mechanism grows faster than its input, or if a call takes long to stop.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from itertools import chain

import corpus

import piecework as pw
from piecework._settings.limiting import default_limits
from scaling import calls, files, growth, interrupts, segmenting, stages, tokens, trainings

PARTS = (tokens, segmenting, stages, calls, files, trainings)
MECHANISMS: growth.Mechanisms = dict(chain.from_iterable(part.MECHANISMS.items() for part in PARTS))
INTERRUPTS = "interrupts"
NO_LIMITS = pw.Limits(entry_bytes=1 << 30, pattern_bytes=1 << 30, components=1 << 30)
"""Limits that no mechanism reaches: entries and lists of n are what is measured."""


def main() -> None:
    """Measures what the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="name",
        help=f'"{INTERRUPTS}", or a part of the name of a mechanism; by default all',
    )
    names = parser.parse_args().names
    warnings.simplefilter("ignore")  # strings that no text matches are among the hard ones
    problems = [*_growth([name for name in names if name != INTERRUPTS], bool(names))]
    if not names or INTERRUPTS in names:
        problems += _interrupts()
    if problems:
        sys.exit("\n".join(["", "not proportional to the input, or too slow to stop:", *problems]))


def _growth(parts: list[str], is_chosen: bool) -> list[str]:
    chosen = [
        (name, prepare)
        for name, prepare in MECHANISMS.items()
        if not is_chosen or any(part in name for part in parts)
    ]
    with default_limits(NO_LIMITS):
        return growth.report(chosen) if chosen else []


def _interrupts() -> list[str]:
    if not corpus.is_there():
        print("Ctrl-C: skipped, the shared data is absent (set PIECEWORK_DATA)")
        return []
    return interrupts.report(interrupts.calls())


if __name__ == "__main__":
    main()

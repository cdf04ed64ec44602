"""Implements `piecework play`."""

from __future__ import annotations

from typing import Annotated

import click

from piecework.cli import options
from piecework.cli.declare import Argument, Option
from piecework.cli.messages import OptionError
from piecework.cli.streams import report
from piecework.cli.tokenizer_names import tokenizer_names


def play(
    *,
    tokenizers: Annotated[list[str] | None, Argument("TOKENIZER")] = None,
    port: Annotated[int, Option(min=0, max=65535)] = 0,
    no_browser: bool = False,
    loading: options.Loading,
) -> None:
    """Show tokenizers, trainings and vocabularies on a page in the browser.

    Serves a page on the loopback interface, prints its address, and opens it. Texts stay on this machine: the page loads
    nothing from the network. The address contains a token, without which the server answers nothing. Ctrl-C ends it.

    Arguments:
        tokenizers: Files or folders of tokenizers (default: small ones, trained on texts of the page).

    Options:
        port: Listen on this port (default: a free one).
        no_browser: Print the address without opening it.

    Examples:
      piecework play tokenizer.json vocab.txt
      piecework play tokenizer.json --port 8000 --no-browser
    """
    import os
    import sys
    import webbrowser
    from threading import Thread, current_thread, enumerate as enumerate_threads

    from piecework._io.extras import import_extra

    for package in ("starlette", "uvicorn"):
        import_extra(package, "play", "piecework play")
    from piecework.play import Session, serve
    from piecework.play.samples import train_samples

    names = tokenizer_names(tokenizers or ())
    loaded = {name: loading.load(path) for path, name in names.items()} or train_samples()

    def show(address: str) -> None:
        click.echo(address)
        report("Ctrl-C ends the server.")
        if not no_browser:
            # A browser in the terminal runs until the user leaves it.
            Thread(target=webbrowser.open, args=[address], daemon=True).start()

    try:
        serve(Session(loaded), port=port, on_start=show)
    except OSError as error:
        raise OptionError("--port", f"port {port}: {error.strerror}; 0 takes a free one") from None
    if any(not thread.daemon and thread is not current_thread() for thread in enumerate_threads()):
        # A training still runs, which can take minutes, and Python would wait for it.
        sys.stdout.flush()
        os._exit(0)

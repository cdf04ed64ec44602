"""Runs the command `piecework` as `python -m piecework`."""

from piecework.cli import main

if __name__ == "__main__":
    main()

"""Measures that the time of every mechanism is proportional to its input, and how fast Ctrl-C ends a call."""

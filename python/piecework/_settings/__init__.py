"""Checks the settings and arguments of calls, and holds immutable values."""

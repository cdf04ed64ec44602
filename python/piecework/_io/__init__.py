"""Reads and writes the files of the library."""

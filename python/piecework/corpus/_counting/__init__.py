"""Counts the words of texts: in this process, or as a job in parts, whose tables are merged in a tree."""

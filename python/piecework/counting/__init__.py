"""Counts the words of files as a job in parts, whose tables are merged in a tree."""

from piecework.counting.plan import CountPlan
from piecework.counting.run import CountingJob

__all__ = ["CountPlan", "CountingJob"]

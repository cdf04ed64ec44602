"""Damages files, kills writers, fills disks, takes memory away and interrupts, and counts the promises that this breaks."""

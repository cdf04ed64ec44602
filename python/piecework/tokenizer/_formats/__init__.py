"""Detects, reads and writes file formats, and describes what a format cannot represent."""

"""Explains how texts are segmented, and how tokens were merged."""

"""Runs jobs over files of documents: a plan of parts, a receipt for each finished part, and an engine that runs the rest.

A part is a pure function of its input, which writes its files under temporary names and renames them. So a part may be tried
again, or run twice at once, and a job that was stopped resumes where it was, on any engine.
"""

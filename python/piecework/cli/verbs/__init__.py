"""Contains one file per verb, whose function of the same name runs it."""

"""Passes: each file says what to do with a block of rows and how to merge two answers."""

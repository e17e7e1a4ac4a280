"""Solvers: mathematics over passes. Nothing here knows scikit-learn."""

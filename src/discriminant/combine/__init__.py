"""Classifiers made of other classifiers: several classes from two, networks of units, decisions by cost."""

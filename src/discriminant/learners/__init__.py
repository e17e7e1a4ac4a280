"""Learners: one method a file, each a small program over solvers and passes."""

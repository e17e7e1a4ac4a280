"""The command `discriminant`: data on stdout, talk on stderr."""

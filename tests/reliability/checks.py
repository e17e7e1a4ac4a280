"""How the batteries judge a case, and how they report many of them at once."""

import traceback
import warnings
from contextlib import contextmanager
from time import perf_counter

import numpy as np
from answers import answers


class Cases:
    """Runs many cases, collects those that fail, and fails once with all their names."""

    def __init__(self, count_cases, kind):
        self._count, self._kind, self.tried, self.failures = count_cases, kind, 0, []

    @contextmanager
    def case(self, name):
        self.tried += 1
        try:
            yield
        except AssertionError as error:
            self.failures.append((name, str(error)))
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            self.failures.append((name, f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"))

    def _by_message(self):
        """Each message once, with the first case that gave it and how many there were."""
        groups = {}
        for name, text in self.failures:
            groups.setdefault(text[:60], []).append((name, text))
        return [f"{len(group)} x {group[0][0]}: {group[0][1][:400]}" for group in groups.values()][:40]

    def finish(self, at_least):
        self._count(self._kind, self.tried)
        assert not self.failures, (f"{len(self.failures)} of {self.tried} cases failed:\n  "
                                   + "\n  ".join(self._by_message()))
        assert self.tried >= at_least, f"only {self.tried} cases were tried, {at_least} were meant to be"


def assert_refused(words, came, call, *given, **named):
    """`call(...)` raises a ValueError or TypeError and nothing else, warns of nothing, and its message holds one of
    `words` (the parameter) and one of `came` (what was wrong with it)."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Perceptron: MAX_ITERATIONS")
        warnings.filterwarnings("ignore", "X has feature names")  # frames for models that were fitted without names
        try:
            found = call(*given, **named)
        except (ValueError, TypeError) as error:
            text = str(error)
        except Exception as error:
            raise AssertionError(f"{type(error).__name__} instead of a named error: {error}") from error
        else:
            raise AssertionError(f"accepted, gave {found!r:.80}")
    assert any(word in text for word in words), f"the message does not name {' or '.join(words)}: {text}"
    assert not came or any(word in text for word in came), f"the message does not say {' or '.join(came)}: {text}"


def assert_sound(model, X):
    """Every method answers with finite numbers of the right shape; classes are those of the fit."""
    found = answers(model, X)
    for name, value in found.items():
        assert len(value) == X.shape[0], f"{name} has shape {value.shape} for {X.shape[0]} rows"
        if name == "predict":
            assert set(value.tolist()) <= set(model.classes_.tolist()), "predict leaves the classes"
        elif name == "predict_log_proba":
            assert not np.isnan(value).any() and (value <= 1e-12).all(), f"{name} is no logarithm of a share"
        else:
            assert np.isfinite(value).all(), f"{name} is not finite"
    if "predict_proba" in found:
        assert np.abs(found["predict_proba"].sum(axis=1) - 1).max() < 1e-9, "shares do not sum to 1"
    return found


@contextmanager
def within_seconds(limit):
    started = perf_counter()
    yield
    taken = perf_counter() - started
    assert taken < limit, f"took {taken:.2f} s, allowed {limit} s"

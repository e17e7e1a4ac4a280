"""What a user may give as `random_state`, made into one kind of generator."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from discriminant.errors import ParameterError
from discriminant.parameters import Integer

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None


def generator(owner: str, random_state: RandomState) -> np.random.Generator:
    """A generator: the user's own, one seeded by the user's number, or a fresh one for None.

    A `RandomState` gives the seed by four draws, so that it moves on as it would anywhere else.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint32))
    if random_state is None or Integer(0).accepts(random_state):
        return np.random.default_rng(random_state)
    raise ParameterError(f"{owner}: random_state must be a whole number >= 0, a numpy Generator or RandomState, "
                         f"or None; got {random_state!r}.")

"""
Kernels over blocks of rows; see cpp/include/discriminant for their contracts.
"""

import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


LANE_COLUMNS: int = 16

NARROW_FUNCTIONS: int = 3

def get_thread_limit() -> int: ...

def set_thread_limit(limit: int) -> None: ...

def isa() -> str: ...

def use_isa(name: str) -> bool: ...

def runnable_isas() -> list[str]: ...

@overload
def gram(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, centre: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None) -> None: ...

@overload
def gram(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, centre: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None) -> None: ...

@overload
def scores(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], functions: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, winners: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')] | None) -> int: ...

@overload
def scores(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], functions: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, winners: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')] | None) -> int: ...

class Loss(enum.Enum):
    logistic = 0

    squared = 1

    squared_hinge = 2

    huber_hinge = 3

    softmax = 4

@overload
def loss(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: Loss, mu: float, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], bias_gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, curvature: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None) -> tuple[float, int]: ...

@overload
def loss(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: Loss, mu: float, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], bias_gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, curvature: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None) -> tuple[float, int]: ...

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

class NetOfZero(enum.Enum):
    undecided = 0

    positive = 1

    negative = 2

class PerceptronRule:
    def __init__(self, *, rate: float, threshold: float, zero: NetOfZero, intercept: bool, together: bool, stop_when_right: bool) -> None: ...

    @property
    def stop_when_right(self) -> bool: ...

class PerceptronLabels:
    def __init__(self, *, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], steps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, lengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positives: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class PerceptronState:
    def __init__(self, *, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], shadow: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], mistakes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], moved: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, moved_bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, runs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None, longest: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, longest_bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None) -> None: ...

    @property
    def presented(self) -> float: ...

    @presented.setter
    def presented(self, arg: float, /) -> None: ...

class PerceptronTrace:
    def __init__(self, *, nets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], changed: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')], after: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def perceptron(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: PerceptronLabels, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, n: int, rule: PerceptronRule, state: PerceptronState, trace: PerceptronTrace | None) -> tuple[int, bool]: ...

@overload
def perceptron(rows: SparseRowsFloat32, labels: PerceptronLabels, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, n: int, rule: PerceptronRule, state: PerceptronState, trace: PerceptronTrace | None) -> tuple[int, bool]: ...

@overload
def perceptron(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: PerceptronLabels, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, n: int, rule: PerceptronRule, state: PerceptronState, trace: PerceptronTrace | None) -> tuple[int, bool]: ...

@overload
def perceptron(rows: SparseRowsFloat64, labels: PerceptronLabels, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, n: int, rule: PerceptronRule, state: PerceptronState, trace: PerceptronTrace | None) -> tuple[int, bool]: ...

@overload
def lengths(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def lengths(rows: SparseRowsFloat32, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def lengths(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def lengths(rows: SparseRowsFloat64, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

class SparseRowsFloat32:
    def __init__(self, cells: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int) -> None: ...

class SparseRowsFloat64:
    def __init__(self, cells: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int) -> None: ...

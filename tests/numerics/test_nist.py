"""The least-squares solver on the eleven linear sets of NIST's Statistical Reference Datasets (nist/README.md).

LRE is the log relative error, -log10 |b - c| / |c|, of the worst coefficient: about the number of right digits.
"""

import csv
import tomllib
from decimal import Decimal, getcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numerics import exact

from discriminant.passes import exact_residuals
from discriminant.places.memory import MemoryPlace
from discriminant.solvers.least_squares import least_squares
from discriminant.solvers.measure import measure

HERE = Path(__file__).parent / "nist"
SETS = tomllib.loads((HERE / "certified.toml").read_text())
ROUTES = {"filip": "tsqr"} | {f"wampler{k}": "refined" for k in range(1, 6)}  # the others: "cholesky"

getcontext().prec = 60


def decimals(name):
    """Rows and targets (n, 1) as fractions, from the digits as printed."""
    with (HERE / f"{name}.csv").open() as file:
        rows = [[Fraction(cell) for cell in row] for row in list(csv.reader(file))[1:]]
    powers = range(1, SETS[name]["powers"] + 1)
    return [[x**p for x in row[1:] for p in powers] for row in rows], [row[:1] for row in rows]


def floats(name, *, of_rounded=False):
    """The same in float64. `of_rounded`: powers of the rounded x, as a user would make them."""
    X, y = decimals(name)
    if of_rounded:
        d = SETS[name]["powers"]
        X = [[float(row[j - j % d]) ** (j % d + 1) for j in range(len(row))] for row in X]
    return np.array([[float(x) for x in row] for row in X]), np.array([[float(t) for t in row] for row in y])


def certified(name):
    return [Fraction(c) for c in SETS[name]["coefficients"]]


def solve(X, y, *, constant, weights=None):
    """Coefficients of the user's columns, the intercept first, and the solution as the solver gives it."""
    n = len(X)
    place = MemoryPlace(np.ascontiguousarray(X), np.arange(n, dtype=np.int32), weights)
    moments = measure(place, n)
    solution = least_squares(place, moments, y, 0.0, constant=constant)
    coef = solution.coef[:, 0] / moments.unit
    return ([solution.intercept[0]] if constant else []) + coef.tolist(), solution


def lre(found, wanted):
    errors = [abs(Fraction(b) - c) / abs(c) for b, c in zip(found, wanted, strict=True)]
    return float(min(-np.log10(float(max(error, Fraction(1, 10**15)))) for error in errors))


def in_order(solution, *, constant):
    return [row[0] for row in ([solution.intercept] if constant else []) + solution.coef]


@pytest.mark.parametrize("name", SETS)
def test_data_and_certificates_agree_in_rational_arithmetic(name, count_cases):
    """Half a unit in the fifteenth digit: 5e-15 of a number that begins with 1."""
    X, y = decimals(name)
    constant, n = SETS[name]["constant"], len(X)
    solution = exact.least_squares(X, y, constant=constant)
    variance = solution.squares[0] / (n - len(X[0]) - constant)
    deviations = [_root(variance * row[i]) for i, row in enumerate(solution.inverse)]
    found = [*map(_decimal, in_order(solution, constant=constant)), *deviations, _decimal(solution.squares[0]),
             _root(variance)]
    printed = SETS[name]
    wanted = [Decimal(text) for text in (*printed["coefficients"], *printed["deviations"], printed["residual_squares"],
                                         printed["residual_deviation"])]
    for value, certificate in zip(found, wanted, strict=True):
        assert abs(value - certificate) <= Decimal("5e-15") * abs(certificate)
    count_cases("numerics: NIST certificates proved in rational arithmetic", len(wanted))


def _decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def _root(fraction):
    return _decimal(fraction).sqrt()


@pytest.mark.parametrize("name", SETS)
def test_digits_and_route(name, measured, count_cases):
    X, y = floats(name)
    constant = SETS[name]["constant"]
    found, solution = solve(X, y, constant=constant)
    digits = lre(found, certified(name))
    truth = exact.least_squares(X, y, constant=constant)
    best = lre(in_order(truth, constant=constant), certified(name))
    measured(f"NIST {name:9s} LRE {digits:4.1f}  ({best:4.1f} in rational arithmetic on its data in float64)  "
             f"route {solution.route}, condition {solution.condition:.1e}")
    count_cases("numerics: NIST sets solved")
    assert digits >= (7 if name == "filip" else 9)
    assert solution.route == ROUTES.get(name, "cholesky")
    assert solution.rank == X.shape[1]
    nothing = 1e-20 * float((y**2).sum())
    assert 2 * solution.error == pytest.approx(float(truth.squares[0]), rel=1e-9, abs=nothing)
    certificate = float(SETS[name]["residual_squares"])
    assert 2 * solution.error == pytest.approx(certificate, rel=1e-7 if name == "filip" else 1e-9, abs=nothing)


@pytest.mark.parametrize("name", ["filip", "pontius", "wampler5"])
def test_powers_taken_in_floating_point(name):
    X, y = floats(name, of_rounded=True)
    found, _ = solve(X, y, constant=True)
    assert lre(found, certified(name)) >= (7 if name == "filip" else 9)


@pytest.mark.parametrize("name", [name for name in SETS if ROUTES.get(name, "cholesky") != "cholesky"])
def test_refined_routes_solve_the_numbers_given(name):
    """Filip keeps 7.6 digits of its certificate, but of the rounded data's own solution it gets all."""
    X, y = floats(name)
    found, _ = solve(X, y, constant=True)
    assert lre(found, in_order(exact.least_squares(X, y), constant=True)) >= 13


@pytest.mark.parametrize("name", SETS)
def test_weights_are_repetitions(name, count_cases):
    """The first row counted thrice: as weight, and as three rows; both against rational arithmetic."""
    X, y = floats(name)
    constant = SETS[name]["constant"]
    weights = np.ones(len(X))
    weights[0] = 3.0
    repeated = np.repeat(np.arange(len(X)), weights.astype(int))
    wanted = in_order(exact.least_squares(X, y, weights, constant=constant), constant=constant)
    for found, _ in (solve(X, y, constant=constant, weights=weights),
                     solve(X[repeated], y[repeated], constant=constant)):
        assert lre(found, wanted) >= 9
    count_cases("numerics: NIST sets solved", 2)


def test_refinement_in_plain_arithmetic_would_be_found_out(monkeypatch):
    """One slice is about what double arithmetic has: then large residuals take the digits of small coefficients."""
    monkeypatch.setattr(exact_residuals, "_SLICES", 1)
    found = {name: solve(*floats(name), constant=SETS[name]["constant"])[0] for name in SETS}
    failed = [name for name in SETS if lre(found[name], certified(name)) < 9]
    assert {"wampler4", "wampler5"} <= set(failed)


def test_a_solver_that_loses_digits_would_be_found_out():
    """The normal equations alone, as anyone would write them, fail these sets: the bar is not too low."""
    failed = []
    for name in SETS:
        X, y = floats(name)
        A = np.hstack([np.ones((len(X), 1)), X]) if SETS[name]["constant"] else X
        found = np.linalg.lstsq(A.T @ A, A.T @ y)[0][:, 0]
        failed += [name] * (lre(found.tolist(), certified(name)) < (7 if name == "filip" else 9))
    assert {"filip", "longley", "wampler4", "wampler5"} <= set(failed)

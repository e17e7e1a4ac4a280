"""Every route of the least-squares solver, against rational arithmetic or pseudo-inverses."""

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numerics import exact

from discriminant.places.memory import MemoryPlace
from discriminant.solvers import least_squares as solver
from discriminant.solvers import refinement
from discriminant.solvers.least_squares import least_squares
from discriminant.solvers.measure import measure
from discriminant.solvers.triangle import Triangle

EPS = np.finfo(float).eps


def solve(X, T, weights=None, *, alpha=0.0, constant=True, codes=None):
    """Coefficients of the user's columns (d, m), intercept (m,), and the solution; T has a row for each class."""
    codes = np.arange(X.shape[0], dtype=np.int32) if codes is None else codes
    place = MemoryPlace(X, codes, weights)
    moments = measure(place, len(T))
    solution = least_squares(place, moments, T, alpha, constant=constant)
    return solution.coef / moments.unit[:, None], solution.intercept, solution


def rows_of_condition(condition, *, n=30, d=5, m=2, seed=0):
    """Rows whose singular values fall evenly from 1 to 1 / condition, and random targets."""
    rng = np.random.default_rng([seed, n, d])
    U, V = la.qr(rng.normal(size=(n, d)), mode="economic")[0], la.qr(rng.normal(size=(d, d)))[0]
    return (U * np.logspace(0, -np.log10(condition), d)) @ V.T, rng.normal(size=(n, m))


def share(found, wanted):
    """The largest difference as a share of the largest entry."""
    return np.abs(found - wanted).max() / np.abs(wanted).max()


def pinv_solution(X, T, *, constant, tolerance=1e-12):
    """The shortest of all solutions; the intercept counts for nothing in its length."""
    X = np.asarray(X, float)
    centre, middle = (X.mean(axis=0), T.mean(axis=0)) if constant else (np.zeros(X.shape[1]), np.zeros(T.shape[1]))
    coef = np.linalg.pinv(X - centre, rcond=tolerance) @ (T - middle)
    return coef, middle - centre @ coef


# Condition


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("exponent", range(15))
def test_conditions(exponent, constant, count_cases):
    """Rounding, or (rounding x condition)^2 where coefficients in float64 can do no better."""
    for seed in range(3):
        X, T = rows_of_condition(10.0**exponent, seed=seed)
        coef, intercept, found = solve(X, T, constant=constant)
        wanted, wanted_intercept = exact.least_squares(X, T, constant=constant).arrays()
        expected = "cholesky" if exponent < 2 else "refined" if 3 <= exponent < 7 else "tsqr" if exponent > 8 else None
        assert found.route == expected or expected is None
        bound = 1e-10 if found.route == "cholesky" else max(1e-14, 100 * (EPS * found.condition) ** 2)
        assert share(coef, wanted) <= bound
        assert not constant or share(intercept, wanted_intercept) <= bound + 1e-13
        assert found.rank == X.shape[1]
        assert 10.0**exponent / 30 <= found.condition <= 10.0**exponent * 30
        count_cases("numerics: least squares against rational arithmetic")


def test_an_orthogonal_solver_is_no_better(count_cases):
    """Where the residuals are large QR loses the square of the condition; refinement does not."""
    X, T = rows_of_condition(1e6)
    wanted, _ = exact.least_squares(X, T, constant=False).arrays()
    assert share(solve(X, T, constant=False)[0], wanted) <= 1e-14 < 1e-12 < share(la.lstsq(X, T)[0], wanted)


@pytest.mark.parametrize("condition", [1.0, 1e5, 1e10])
def test_error_is_half_the_sum_of_squares(condition):
    X, T = rows_of_condition(condition)
    wanted = sum(map(float, exact.least_squares(X, T).squares)) / 2
    assert solve(X, T)[2].error == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize("condition", [1.0, 1e5, 1e10])
def test_an_exact_fit_leaves_no_error(condition):
    X, T = rows_of_condition(condition)
    B = np.arange(1.0, 11.0).reshape(5, 2)
    assert solve(X, X @ B + 3)[2].error <= 1e-28 * (T**2).sum() * condition**2


@pytest.mark.parametrize("condition", [1.0, 1e5, 1e10])
def test_few_rows_of_many(condition):
    """As many rows as unknowns: the rows are met exactly; one row fewer: the shortest solution that meets them."""
    for n in (6, 5):
        X, T = rows_of_condition(condition, n=n)
        coef, intercept, found = solve(X, T)
        wanted, _ = pinv_solution(X, T, constant=True, tolerance=1e-14)
        assert share(coef, wanted) <= 1e-12 * condition
        assert found.rank == n - 1
        assert np.abs(X @ coef + intercept - T).max() <= 1e-13 + 16 * EPS * np.abs(coef).max()


# Weights, penalties, targets


@pytest.mark.parametrize("condition", [3.0, 1e5, 1e10])
@pytest.mark.parametrize("constant", [True, False])
def test_weights(condition, constant):
    X, T = rows_of_condition(condition)
    weights = np.random.default_rng(1).uniform(0.1, 5.0, len(X))
    weights[3] = 0.0
    coef, intercept, _ = solve(X, T, weights, constant=constant)
    wanted, wanted_intercept = exact.least_squares(X, T, weights, constant=constant).arrays()
    assert share(coef, wanted) <= 1e-10
    assert not constant or share(intercept, wanted_intercept) <= 1e-10


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=30, max_size=30).filter(lambda w: sum(x > 0 for x in w) > 8),
       st.sampled_from([1.0, 1e5, 1e10]), st.booleans())
def test_whole_weights_are_repetitions(weights, condition, constant):
    X, T = rows_of_condition(condition)
    order = np.repeat(np.arange(30), weights)
    weighted = solve(X, T, np.array(weights, float), constant=constant)[0]
    assert share(weighted, solve(X[order], T[order], constant=constant)[0]) <= 1e-9


@pytest.mark.parametrize("alpha", [1e-30, 1e-14, 1e-8, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("condition", [3.0, 1e5, 1e10])
@pytest.mark.parametrize("constant", [True, False])
def test_ridge(alpha, condition, constant, count_cases):
    X, T = rows_of_condition(condition)
    coef, intercept, found = solve(X, T, alpha=alpha, constant=constant)
    wanted, wanted_intercept = exact.least_squares(X, T, alpha=alpha, constant=constant).arrays()
    assert share(coef, wanted) <= 1e-9
    assert not constant or share(intercept, wanted_intercept) <= 1e-9
    count_cases("numerics: least squares against rational arithmetic")
    left = X @ coef + intercept - T
    assert found.error == pytest.approx(0.5 * (left**2).sum(), rel=1e-6)


def test_ridge_of_collinear_columns():
    """The penalty makes the solution unique, however small it is beside the columns."""
    X, T = rows_of_condition(3.0)
    X = np.hstack([X, X[:, :1], np.zeros((len(X), 1))])
    for alpha in (1e-12, 1e-6, 1.0, 100.0):
        wanted, _ = exact.least_squares(X, T, alpha=alpha).arrays()
        assert share(solve(X, T, alpha=alpha)[0], wanted) <= 1e-9


def test_a_vanishing_penalty_takes_the_shortest_solution():
    X, T = rows_of_condition(3.0)
    X = np.hstack([X, 3 * X[:, :1]])
    assert share(solve(X, T, alpha=1e-200)[0], pinv_solution(X, T, constant=True)[0]) <= 1e-10


@pytest.mark.parametrize("condition", [3.0, 1e5, 1e10])
def test_class_targets(condition):
    """Few classes, each with a row of targets: the same as a target for every row."""
    X, _ = rows_of_condition(condition, n=60)
    codes = (np.arange(60) * 7 % 4).astype(np.int32)
    T = np.random.default_rng(2).normal(size=(4, 3))
    coef, intercept, _ = solve(X, T, codes=codes)
    wanted, wanted_intercept = exact.least_squares(X, T[codes]).arrays()
    assert share(coef, wanted) <= 1e-10
    assert share(intercept, wanted_intercept) <= 1e-10


def test_each_target_is_solved_as_if_alone():
    X, T = rows_of_condition(1e5, m=4)
    T = T * np.array([1e-8, 1.0, 1e8, 0.0])
    together = solve(X, T)[0]
    for k in range(4):
        alone = solve(X, T[:, k : k + 1])[0][:, 0]
        assert np.allclose(together[:, k], alone, rtol=1e-12, atol=0)


# Kinds of rows


@pytest.mark.parametrize("condition", [1.0, 30.0, 1e4])
@pytest.mark.parametrize("constant", [True, False])
def test_float32_rows(condition, constant):
    """The solution is that of the numbers given: refined to all digits, or as good as sums in float32 allow."""
    X, T = rows_of_condition(condition)
    X = X.astype(np.float32)
    coef, _, found = solve(X, T, constant=constant)
    wanted, _ = exact.least_squares(X.astype(float), T, constant=constant).arrays()
    assert share(coef, wanted) <= (1e-4 if found.route == "cholesky" else 1e-14)
    assert {1.0: "cholesky", 1e4: "tsqr"}.get(condition, found.route) == found.route


@pytest.mark.parametrize("condition", [1.0, 1e5, 1e10])
@pytest.mark.parametrize("constant", [True, False])
def test_sparse_rows(condition, constant):
    X, T = rows_of_condition(condition, n=80, d=6)
    X[np.random.default_rng(3).random(X.shape) < 0.5] = 0.0
    dense, sparse = solve(X, T, constant=constant), solve(sp.csr_array(X), T, constant=constant)
    assert share(sparse[0], dense[0]) <= 1e-10
    assert sparse[2].rank == dense[2].rank


@pytest.mark.parametrize("condition", [3.0, 1e5, 1e10])
def test_many_rows_go_through_many_blocks(condition):
    """Some thousand rows, so that values of several strands are merged."""
    X, T = rows_of_condition(condition, n=9000, d=12)
    codes = (T[:, 0] > 0).astype(np.int32)
    targets = np.eye(2)
    coef, _, found = solve(X, targets, codes=codes)
    left = targets[codes] - X @ coef - (targets[codes] - X @ coef).mean(axis=0)
    gradient = (X - X.mean(axis=0)).T @ left
    assert np.abs(gradient).max() <= 1e-10 * np.abs(coef).max()
    assert found.rank == 12


def test_the_answer_does_not_depend_on_threads():
    from discriminant import set_threads

    X, T = rows_of_condition(1e5, n=9000, d=12)
    codes = (T[:, 0] > 0).astype(np.int32)
    answers = []
    try:
        for threads in (1, 2, 3):
            set_threads(threads)
            answers.append(solve(X, np.eye(2), codes=codes)[0])
    finally:
        set_threads(None)
    assert all(np.array_equal(answers[0], other) for other in answers[1:])


@pytest.mark.parametrize("condition, route", [(3000.0, "cholesky"), (1e5, "refined"), (1e9, "tsqr")])
def test_many_rows_are_refined_later_and_less(condition, route, monkeypatch):
    X, T = rows_of_condition(condition)
    assert solve(X, T)[2].route == {"cholesky": "refined"}.get(route, route)
    monkeypatch.setattr(solver, "_MANY", 100)
    coef, _, found = solve(X, T)
    assert found.route == route
    assert share(coef, exact.least_squares(X, T).arrays()[0]) <= 1e-8


# Rank


def _whole_sum(rng, X):
    X = np.round(X * 10)
    return np.c_[X, X[:, 0] + X[:, 1]]


def _dummies(rng, X):
    """A table of all levels: they sum to one, which the intercept is already."""
    return np.c_[X, np.eye(3)[rng.permutation(np.arange(len(X)) % 3)]]


def _ill(rng, X):
    """The other columns nearly depend on each other: S cannot tell which directions are null, the rows can."""
    X[:, 1] = X[:, 0] + 1e-3 * X[:, 1]
    return np.c_[X, 4 * X[:, 0] + X[:, 2]]


COLLINEAR = {
    "a sum of whole numbers": (_whole_sum, 1),
    "a sum that was rounded": (lambda rng, X: np.c_[X, X[:, 0] + X[:, 1] + 0.3 * X[:, 2]], 1),
    "twice the same": (lambda rng, X: np.c_[X, X[:, 0]], 1),
    "another unit": (lambda rng, X: np.c_[X, 1000 * X[:, 0]], 1),
    "two at once": (lambda rng, X: np.c_[X, 3 * X[:, 0], X[:, 1] - X[:, 2]], 2),
    "many": (lambda rng, X: np.c_[X, X @ rng.integers(1, 4, (4, 6))], 6),
    "all levels": (_dummies, 1),
    "beside others that are ill-conditioned": (_ill, 1),
    "a column of zeros": (lambda rng, X: np.c_[X, np.zeros(len(X))], 1),
    "a constant column": (lambda rng, X: np.c_[X, np.full(len(X), 0.1)], 1),
}


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("name", COLLINEAR)
def test_collinear_columns_get_the_shortest_solution(name, constant, count_cases):
    make, lost = COLLINEAR[name]
    lost = 0 if not constant and name in ("all levels", "a constant column") else lost
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, T = make(rng, rng.normal(size=(40, 4))), rng.normal(size=(40, 2))
        coef, intercept, found = solve(X, T, constant=constant)
        wanted, wanted_intercept = pinv_solution(X, T, constant=constant)
        assert found.rank == X.shape[1] - lost
        assert share(coef, wanted) <= 1e-10
        assert not constant or share(intercept, wanted_intercept) <= 1e-9
        count_cases("numerics: least squares with collinear columns")


@pytest.mark.parametrize("name", COLLINEAR)
def test_collinear_columns_in_float32(name):
    """To the rounding of float32, columns that depend on each other do so."""
    make, lost = COLLINEAR[name]
    rng = np.random.default_rng(0)
    X, T = make(rng, rng.normal(size=(40, 4))).astype(np.float32), rng.normal(size=(40, 2))
    coef, _, found = solve(X, T)
    assert found.rank == X.shape[1] - lost
    assert share(coef, pinv_solution(X, T, constant=True, tolerance=3e-6)[0]) <= 1e-3


def test_collinear_rows_reach_both_routes():
    routes = set()
    for name, (make, _) in COLLINEAR.items():
        rng = np.random.default_rng(0)
        routes.add((name == "beside others that are ill-conditioned",
                    solve(make(rng, rng.normal(size=(40, 4))), rng.normal(size=(40, 2)))[2].route))
    assert {(False, "eigenvectors"), (True, "tsqr")} <= routes


@pytest.mark.parametrize("apart", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("constant", [True, False])
def test_nearly_collinear_columns_are_not_collinear(apart, constant):
    for seed in range(5):
        X, T = rows_of_condition(3.0, seed=seed)
        X = np.hstack([X, X[:, :1] + apart * np.random.default_rng(seed).normal(size=(len(X), 1))])
        coef, _, found = solve(X, T, constant=constant)
        assert found.rank == 6
        assert found.route == "tsqr" or apart > 1e-7
        wanted, _ = exact.least_squares(X, T, constant=constant).arrays()
        assert share(coef, wanted) <= 1e-13 + 100 * (EPS * found.condition) ** 2


@pytest.mark.parametrize("mean", [0.0, 1.0, 1e3, 1e6])
def test_nearly_collinear_columns_far_from_zero(mean):
    """What counts is the rounding of the cells: 1e-9 beside a deviation of 1 and a mean of 1e6 are five units of it."""
    rng = np.random.default_rng(4)
    X, T = rng.normal(size=(40, 3)) + mean, rng.normal(size=(40, 1))
    near = np.c_[X, X[:, 0] + 3e-9 * rng.normal(size=40)]
    assert solve(near, T)[2].rank == 4
    same = np.c_[X, X[:, 0] + X[:, 1] - X[:, 2] / 3]  # rounded where it is large
    assert solve(same, T)[2].rank == 3


def test_a_column_constant_but_for_rounding():
    """0.1 + 0.2 in some rows, 0.3 in the others; a column of which the mean is 1e16 times the deviation."""
    X, T = rows_of_condition(3.0)
    flat = np.where(np.arange(30) % 2, 0.1 + 0.2, 0.3)
    for column in (flat, 1e16 + np.arange(30) % 2 * 2):
        coef, _, found = solve(np.c_[X, column], T)
        assert found.rank == 5
        assert not coef[5].any()
        assert share(coef[:5], solve(X, T)[0]) <= 1e-13


@settings(max_examples=60, deadline=None)
@given(st.floats(1e-3, 1e9), st.integers(0, 10**6), st.integers(2, 5))
def test_a_constant_column_gets_nothing(value, seed, classes):
    """Whatever the class weights: the mean of equal means is that mean."""
    rng = np.random.default_rng(seed)
    X = np.c_[rng.normal(size=(25, 2)), np.full(25, value)]
    codes = (np.arange(25) % classes).astype(np.int32)
    coef, _, found = solve(X, np.eye(classes), rng.uniform(0.1, 3.0, 25), codes=codes)
    assert found.rank == 2
    assert not coef[2].any()


def test_a_constant_column_serves_as_intercept():
    X, T = rows_of_condition(3.0)
    coef, intercept, _ = solve(np.c_[X, np.full(30, 4.0)], T, constant=False)
    wanted, wanted_intercept, _ = solve(X, T)
    assert not intercept.any()
    assert share(coef[:5], wanted) <= 1e-12
    assert share(4.0 * coef[5], wanted_intercept) <= 1e-12


# Scale


@pytest.mark.parametrize("condition", [3.0, 1e5, 1e10])
@pytest.mark.parametrize("constant", [True, False])
def test_columns_of_extreme_scale(condition, constant, count_cases):
    """Columns times powers of two from 2^-498 to 2^498 (1e-150 to 1e150): the same numbers in other units."""
    X, T = rows_of_condition(condition)
    for seed in range(5):
        powers = np.random.default_rng(seed).integers(-498, 499, 5)
        powers[:2] = -498, 498
        coef, intercept, found = solve(np.ldexp(X, powers), T, constant=constant)
        twin, twin_intercept, twin_found = solve(X, T, constant=constant)
        assert share(np.ldexp(coef, powers[:, None]), twin) <= 1e-12
        assert not constant or share(intercept, twin_intercept) <= 1e-12
        assert (found.route, found.rank) == (twin_found.route, twin_found.rank)
        count_cases("scale: least squares with columns from 1e-150 to 1e150")


@pytest.mark.parametrize("power", [-150, 150])
def test_extreme_scale_of_all_columns_and_of_targets(power):
    X, T = rows_of_condition(1e5)
    wanted = solve(X, T)[0]
    scale = 10.0**power
    assert share(solve(X * scale, T)[0] * scale, wanted) <= 1e-9
    assert share(solve(X, T * scale)[0] / scale, wanted) <= 1e-9


def test_collinear_columns_of_extreme_scale():
    """Of two columns that say the same the longer one needs the smaller coefficient, and gets it all."""
    X, T = rows_of_condition(3.0)
    coef, _, found = solve(np.c_[X, np.ldexp(X[:, 0], 400)], T)
    assert found.rank == 5
    assert abs(coef[0]).max() <= 1e-13 * abs(coef).max()
    assert share(np.ldexp(coef[5], 400), solve(X, T)[0][0]) <= 1e-12


# Invariances


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(30)), st.permutations(range(5)), st.sampled_from([3.0, 1e5, 1e10]))
def test_orders_of_rows_and_columns_do_not_matter(rows, columns, condition):
    X, T = rows_of_condition(condition)
    wanted = solve(X, T)[0]
    rows, columns = np.array(rows), np.array(columns)
    assert share(solve(X[rows][:, columns], T[rows])[0], wanted[columns]) <= 1e-9


@pytest.mark.parametrize("condition", [3.0, 1e5, 1e10])
def test_targets_moved_by_a_linear_function_move_the_coefficients(condition):
    X, T = rows_of_condition(condition)
    B = np.random.default_rng(5).integers(-4, 5, (5, 2)).astype(float)
    moved = solve(X, T + X @ B)[0]
    assert share(moved - B, solve(X, T)[0]) <= 1e-10


# Its parts


def test_refinement_that_goes_nowhere_says_so():
    """With a factor that has nothing to do with the rows, steps do not shrink; the solver then goes to the rows."""
    X, T = rows_of_condition(1e5)
    place = MemoryPlace(X, np.arange(30, dtype=np.int32))
    moments = measure(place, 30)
    equations = refinement.NormalEquations.of(moments, T, constant=True)
    wrong = 5 / np.diagonal(equations.S)[:, None]
    for start in (np.zeros((5, 2)), 1.001 * np.linalg.solve(equations.S, equations.XT)):
        found = refinement.refine(place, T, equations, np.zeros(5), lambda G: wrong * G, start, 1e-3, EPS)
        assert not found.settled


def test_a_misleading_factor_does_not_mislead_the_solver(monkeypatch):
    X, T = rows_of_condition(1e5)
    right = solver.factor

    def wrong(A, precision):
        made = right(A, precision)
        solved = made.solve
        made.solve = lambda B: 2.5 * solved(B)
        return made

    monkeypatch.setattr(solver, "factor", wrong)
    coef, _, found = solve(X, T)
    assert found.route == "tsqr"
    assert share(coef, exact.least_squares(X, T).arrays()[0]) <= 1e-13


@pytest.mark.parametrize("rank", [0, 1, 3, 5])
def test_triangle_drops_what_noise_explains(rank):
    rng = np.random.default_rng(6)
    U, V = la.qr(rng.normal(size=(5, 5)))[0], la.qr(rng.normal(size=(5, 5)))[0]
    R = la.qr((U * np.where(np.arange(5) < rank, 1.0, 1e-17)) @ V.T)[1]
    right = rng.normal(size=(5, 2))
    made = Triangle(R, right, np.full(5, 1e-15), np.zeros(5))
    assert made.rank == rank
    assert made.null.shape == (5, 5 - rank)
    assert (np.sqrt(((R @ made.null) ** 2).sum(axis=0)) <= 1).all()  # shorter than noise along each of them
    if rank:
        assert np.allclose(made.solution, np.linalg.pinv(R, rcond=1e-10) @ right, rtol=1e-10, atol=1e-12)
    assert np.allclose(made.solve(R.T @ right), made.solution, rtol=1e-9, atol=1e-12)


def test_triangle_with_a_penalty():
    rng = np.random.default_rng(7)
    R, right = np.triu(rng.normal(size=(4, 4))), rng.normal(size=(4, 2))
    penalty = np.array([0.1, 0.2, 0.0, 3.0])
    made = Triangle(R, right, np.full(4, 1e-15), penalty)
    wanted = np.linalg.solve(R.T @ R + np.diag(penalty), R.T @ right)
    assert np.allclose(made.solution, wanted, rtol=1e-11)
    assert np.allclose(made.solve(R.T @ right), wanted, rtol=1e-11)

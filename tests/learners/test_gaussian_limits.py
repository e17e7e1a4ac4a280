"""The generative model bit by bit, in other units and coordinates, and on data without a density."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import discriminant as dc
from discriminant.errors import DegenerateError, InputError, ParameterError, UnsupportedHere

KINDS = ("shared", "full", "diagonal", "spherical")


def three_classes(n=300, d=4, seed=0):
    random = np.random.default_rng([n, d, seed])
    y = np.arange(n) % 3
    turn, mean = random.normal(size=(3, d, d)) + np.eye(d), 2 * random.normal(size=(3, d))
    return np.einsum("nij,nj->ni", turn[y], random.normal(size=(n, d))) + mean[y], y


def assert_same_model(found, wanted, X, rtol=1e-9):
    np.testing.assert_array_equal(found.classes_, wanted.classes_)
    np.testing.assert_allclose(found.covariance_, wanted.covariance_, rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(found.decision_function(X), wanted.decision_function(X), rtol=rtol, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [(1,), (7,), (100, 3, 197), (299, 1)], ids=str)
def test_rows_may_come_in_any_parts(kind, sizes):
    X, y = three_classes()
    order = np.argsort(y + np.random.default_rng(0).uniform(0, 1.6, len(y)))  # class 2 comes late
    X, y = X[order], np.array(["c", "a", "b"])[y[order]]
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model, start, step = dc.GaussianDiscriminant(covariance=kind), 0, 0
    while start < len(y):
        part = slice(start, start + sizes[step % len(sizes)])
        model.partial_fit(X[part], y[part], sample_weight=w[part])
        start, step = part.stop, step + 1
    assert_same_model(model, dc.GaussianDiscriminant(covariance=kind).fit(X, y, w), X)
    assert_same_model(model.fit(X[:200], y[:200]), dc.GaussianDiscriminant(covariance=kind).fit(X[:200], y[:200]), X)


def test_what_is_missing_so_far_is_said():
    X, y = three_classes()
    model = dc.GaussianDiscriminant(covariance="full")
    with pytest.raises(NotFittedError, match="not fitted yet"):
        _ = model.covariance_
    model.partial_fit(X[y == 0], y[y == 0])
    with pytest.raises(NotFittedError, match="rows of two classes are needed, and so far there are those of 1"):
        model.predict(X)
    model.partial_fit(X[y == 1][:3], y[y == 1][:3])
    with pytest.raises(NotFittedError, match="Class 1 has no density with covariance='full'"):
        model.predict(X)
    model.partial_fit(X, y, sample_weight=y == 0)
    with pytest.raises(NotFittedError, match="Class 1 has no density"):
        model.sample(1)
    model.partial_fit(X, y, sample_weight=y == 1)
    assert model.classes_.tolist() == [0, 1]
    assert model.score(X[y < 2], y[y < 2]) > 0.7


@pytest.mark.parametrize("learner", [dc.GaussianDiscriminant, dc.FisherDiscriminant])
def test_priors_of_classes_that_are_announced_wait_for_them(learner):
    X, y = three_classes()
    priors = [0.2, 0.3, 0.5]
    model = learner(priors=priors).partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    with pytest.raises(NotFittedError, match="priors has 3 numbers, and so far there are rows of 2 classes"):
        model.predict(X)
    model.partial_fit(X[y == 2], y[y == 2])
    np.testing.assert_allclose(model.coef_, learner(priors=priors).fit(X, y).coef_, rtol=1e-9)


def test_partial_fit_refuses_what_needs_all_rows_and_other_moments():
    X, y = three_classes()
    for shrinkage in ("ledoit-wolf", "loo", [0.1, 0.2]):
        for kind in ("shared", "full"):
            with pytest.raises(ParameterError, match="needs all rows at once"):
                dc.GaussianDiscriminant(covariance=kind, shrinkage=shrinkage).partial_fit(X, y)
    model = dc.GaussianDiscriminant(covariance="full").partial_fit(X, y)
    with pytest.raises(ParameterError, match="gathered under other parameters"):
        model.set_params(covariance="diagonal").partial_fit(X, y)


@pytest.mark.parametrize("kind", ["shared", "full"])
def test_an_affine_map_changes_nothing_but_the_unit_of_volume(kind):
    X, y = three_classes()
    A, b = np.random.default_rng(5).normal(size=(4, 4)) * [1, 10, 100, 1000], [1e3, -5.0, 0.0, 1.0]
    there = X @ A + b
    one, two = (dc.GaussianDiscriminant(covariance=kind).fit(rows, y) for rows in (X, there))
    np.testing.assert_allclose(two.predict_proba(there), one.predict_proba(X), rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(two.log_density(there) + np.linalg.slogdet(A)[1], one.log_density(X), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("exponents", [(150, 0, -150, 10), (300, -300, 200, -200), (-300,) * 4, (302,) * 4], ids=str)
def test_columns_of_any_scale(kind, exponents):
    X, y = three_classes()
    scale = np.exp2(np.round(np.array(exponents) / np.log10(2)))  # powers of two: the rows are the same to the last bit
    model = dc.GaussianDiscriminant(covariance=kind).fit(X * scale, y)
    assert np.isfinite(model.log_density(X * scale)).all()
    if kind != "spherical" or len(set(exponents)) == 1:
        plain = dc.GaussianDiscriminant(covariance=kind).fit(X, y)
        moved = model.log_density(X * scale) + np.log(scale).sum()
        np.testing.assert_allclose(moved, plain.log_density(X), rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(model.predict(X * scale), plain.predict(X))


@pytest.mark.parametrize("kind", KINDS)
def test_distant_means_cost_no_digits(kind):
    X, y = three_classes()
    X = np.round(X * 2**20) / 2**20  # so that adding 2**24 is exact
    near, far = (dc.GaussianDiscriminant(covariance=kind).fit(rows, y) for rows in (X, X + 2.0**24))
    np.testing.assert_allclose(far.log_density(X + 2.0**24, by_class=True), near.log_density(X, by_class=True),
                               rtol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint16])
def test_narrow_types_are_read_as_they_are(kind, dtype):
    X, y = three_classes(60_000)
    X = (np.clip(4 * X, -120, 120) + (120 if dtype == np.uint16 else 0)).astype(dtype)
    narrow, wide = (dc.GaussianDiscriminant(covariance=kind).fit(rows, y) for rows in (X, X.astype(np.float64)))
    np.testing.assert_allclose(narrow.log_density(X), wide.log_density(X.astype(np.float64)), rtol=2e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_sparse_rows_are_the_same_rows(kind):
    X, y = three_classes()
    X[np.random.default_rng(2).uniform(size=X.shape) < 0.7] = 0
    dense, sparse = (dc.GaussianDiscriminant(covariance=kind).fit(rows, y) for rows in (X, sp.csr_array(X)))
    assert_same_model(sparse, dense, X)
    np.testing.assert_allclose(sparse.log_density(sp.csr_array(X)), dense.log_density(X), rtol=1e-9)


def test_wide_sparse_rows_have_functions_but_no_density():
    random = np.random.default_rng(0)
    X = sp.random_array((4200, 4100), density=1e-3, rng=random, format="csr")
    model = dc.GaussianDiscriminant(shrinkage=0.5).fit(X, np.arange(4200) % 2)
    assert model.predict(X[:5]).shape == (5,)
    for use in (lambda: model.log_density(X), lambda: model.sample(3), lambda: model.covariance_):
        with pytest.raises(UnsupportedHere, match="never formed. Instead: covariance='diagonal'"):
            use()


def degenerate(case):
    X, y = three_classes()
    if case == "constant":
        X[y == 1, 2] = 7.0
    elif case == "collinear":
        X[y == 1, 2] = X[y == 1, 0] - 3 * X[y == 1, 1]
    elif case == "one row":
        X, y = X[np.r_[np.flatnonzero(y != 1), 1]], y[np.r_[np.flatnonzero(y != 1), 1]]
    elif case == "few rows":
        X, y = X[np.r_[np.flatnonzero(y != 1), 1, 4, 7]], y[np.r_[np.flatnonzero(y != 1), 1, 4, 7]]
    return X, np.array(["ape", "bee", "cat"])[y]


@pytest.mark.parametrize(("kind", "case", "named"), [
    ("full", "constant", "column 2 is constant in it. Use shrinkage > 0, or covariance='shared' or 'spherical'"),
    ("full", "collinear", "its rows spread in 3 of 4 directions only. Use shrinkage > 0"),
    ("full", "few rows", "its rows spread in 2 of 4 directions only. Use shrinkage > 0"),
    ("full", "one row", "all its rows are equal. Use covariance='shared'"),
    ("diagonal", "constant", "column 2 is constant in it. Use shrinkage > 0"),
    ("diagonal", "one row", "column 0 is constant in it. Use shrinkage > 0"),
    ("spherical", "one row", "all its rows are equal. Use covariance='shared'"),
])
def test_a_class_without_a_density_is_named(kind, case, named):
    X, y = degenerate(case)
    with pytest.raises(DegenerateError) as caught:
        dc.GaussianDiscriminant(covariance=kind).fit(X, y)
    assert str(caught.value).startswith(f"Class 'bee' has no density with covariance='{kind}': {named}")
    assert isinstance(caught.value, InputError)
    assert dc.GaussianDiscriminant().fit(X, y).score(X, y) > 0.5
    if kind != "spherical" and case != "one row":
        assert np.isfinite(dc.GaussianDiscriminant(covariance=kind, shrinkage=0.1).fit(X, y).log_density(X)).all()


@pytest.mark.parametrize("kind", ["full", "diagonal"])
def test_shrinkage_does_not_help_a_class_of_one_row(kind):
    X, y = degenerate("one row")
    with pytest.raises(DegenerateError, match="Class 'bee' .* all its rows are equal. Use covariance='shared'."):
        dc.GaussianDiscriminant(covariance=kind, shrinkage=0.5).fit(X, y)


def test_equal_rows_in_every_class_have_no_density_either():
    model = dc.GaussianDiscriminant(shrinkage=0.5).fit([[0.0, 1.0], [0.0, 1.0], [2.0, 3.0], [2.0, 3.0]], [0, 0, 1, 1])
    assert model.predict([[0.0, 1.5], [2.0, 3.0]]).tolist() == [0, 1]
    np.testing.assert_array_equal(model.sample(1, random_state=0)[0] % 2, [[0.0, 1.0]])
    with pytest.raises(DegenerateError, match="spread in 0 of 2 directions only"):
        model.log_density([[0.0, 1.0]])


@pytest.mark.parametrize(("given", "named"), [
    ({"covariance": "tied"}, "covariance must be 'shared', 'full', 'diagonal', 'spherical'; got 'tied'"),
    ({"covariance": "full", "shrinkage": "auto"}, "covariance='full' takes None, 'ledoit-wolf', 'oas', a number"),
    ({"covariance": "diagonal", "shrinkage": "oas"}, "covariance='diagonal' takes shrinkage=None or a number"),
    ({"covariance": "diagonal", "shrinkage": [0.1]}, "covariance='diagonal' takes shrinkage=None or a number"),
    ({"covariance": "spherical", "shrinkage": 0.1}, "covariance='spherical' takes shrinkage=None only"),
    ({"shrinkage": 1.5}, "shrinkage must be"),
    ({"priors": [0.5, 0.5]}, "priors must have one number for each of the 3 classes"),
])
def test_bad_parameters_are_named(given, named):
    with pytest.raises(ParameterError, match=named):
        dc.GaussianDiscriminant(**given).fit(*three_classes())


@pytest.mark.parametrize("kind", KINDS)
def test_bad_rows_and_arguments_are_named(kind):
    X, y = three_classes()
    model = dc.GaussianDiscriminant(covariance=kind).fit(X, y)
    for bad, named in ((np.nan, "NaN"), (np.inf, "infinity")):
        broken = X.copy()
        broken[17, 2] = bad
        for use in (model.predict, model.predict_proba, model.decision_function, model.log_density):
            with pytest.raises(InputError, match=f"contains {named} .row 17, column 2."):
                use(broken)
    with pytest.raises(InputError, match="leave the range of floating point"):
        model.log_density(X * 1e200)
    for n in (0, 2.5, "many"):
        with pytest.raises(ParameterError, match="sample: n must be a whole number >= 1"):
            model.sample(n)
    with pytest.raises(ParameterError, match="label must be one of 0, 1, 2; got 'ape'"):
        model.sample(1, label="ape")
    with pytest.raises(ParameterError, match="random_state must be"):
        model.sample(1, random_state="seed")


def test_a_refit_forgets_what_was_of_the_other_kind():
    X, y = three_classes()
    model = dc.GaussianDiscriminant(shrinkage=[0.1, 0.2]).fit(X, y)
    assert hasattr(model, "coef_") and hasattr(model, "path_")
    model.set_params(covariance="full", shrinkage=None).fit(X, y)
    assert not any(hasattr(model, name) for name in ("coef_", "intercept_", "path_"))
    assert model.shrinkage_ is None

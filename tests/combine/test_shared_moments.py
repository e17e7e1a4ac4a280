"""Members made from one read of the rows are those of separate fits."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from problems import blobs, in_other_units
from sklearn.base import clone

import discriminant as dc
from discriminant.combine.one_vs_one import OneVsOne
from discriminant.combine.one_vs_rest import OneVsRest
from discriminant.errors import DegenerateWarning

SHARED = [dc.LeastSquaresClassifier(), dc.LeastSquaresClassifier(alpha=2.0, targets="bipolar"),
          dc.LeastSquaresClassifier(targets="fisher", fit_intercept=False), dc.FisherDiscriminant(),
          dc.FisherDiscriminant(shrinkage=0.3, rule="midpoint"), dc.FisherDiscriminant(shrinkage="oas"),
          dc.FisherDiscriminant(priors=[0.8, 0.2], n_components=1), dc.FisherDiscriminant(rule=0.5)]
APART = [dc.LeastSquaresClassifier(alpha=[0.1, 1.0]), dc.LeastSquaresClassifier(class_weight="balanced"),
         dc.FisherDiscriminant(shrinkage="loo"), dc.FisherDiscriminant(shrinkage="ledoit-wolf"),
         dc.GaussianDiscriminant()]


def separate(model, X, y, weights):
    """The members, each fitted by hand."""
    if isinstance(model, OneVsRest):
        problems = [(np.full(len(y), True), y == k) for k in range(len(model.classes_))]
    else:
        problems = [((y == i) | (y == j), y == j) for i, j in model.pairs_]
    return [clone(model.estimator).fit(X[of], positive[of].astype(int), None if weights is None else weights[of])
            for of, positive in problems]


@pytest.mark.parametrize("combiner", [OneVsRest, OneVsOne])
@pytest.mark.parametrize("problem", [blobs(200, 5, 4), blobs(200, 5, 4).weighted(), in_other_units()],
                         ids=lambda problem: problem.name)
@pytest.mark.parametrize("member", [*SHARED, *APART], ids=repr)
def test_members_are_those_of_separate_fits(member, problem, combiner):
    y = problem.codes
    model = combiner(member).fit(problem.X, y, sample_weight=problem.weights)
    assert model.result_.stats["route"] == ("shared moments" if member in SHARED else "one by one")
    wanted = separate(model, problem.X, y, problem.weights)
    for found, one in zip(model.estimators_, wanted, strict=True):
        assert set(vars(found)) == set(vars(one))
        for name in ("coef_", "intercept_", "error_", "alpha_", "means_", "priors_", "scalings_", "criterion_",
                     "explained_variance_ratio_", "shrinkage_"):
            if hasattr(one, name) and getattr(one, name) is not None:
                scale = np.abs(getattr(one, name)).max()
                np.testing.assert_allclose(getattr(found, name), getattr(one, name), rtol=1e-9, atol=1e-10 * scale)
        assert found.result_.status is one.result_.status
        assert set(found.result_.stats) == set(one.result_.stats)
        np.testing.assert_array_equal(found.predict(problem.probes), one.predict(problem.probes))


@pytest.mark.parametrize("combiner", [OneVsRest, OneVsOne])
@pytest.mark.parametrize("member", [dc.LeastSquaresClassifier(), dc.FisherDiscriminant()], ids=repr)
def test_one_read_serves_all_members(member, combiner):
    problem = blobs(200, 5, 4)
    assert combiner(member).fit(problem.X, problem.y).result_.stats["passes"] == 1


@pytest.mark.parametrize("combiner", [OneVsRest, OneVsOne])
@pytest.mark.parametrize("member", [dc.LeastSquaresClassifier(), dc.FisherDiscriminant()], ids=repr)
@pytest.mark.parametrize("rows", ["wide", "deficient", "perfect column", "float32", "sparse", "nearly dependent"])
def test_hard_rows(rows, member, combiner):
    problem = blobs(40, 60, 3) if rows == "wide" else blobs(90, 5, 3)
    X, rng = problem.X, np.random.default_rng(0)
    if rows == "deficient":
        X = np.column_stack([X, X[:, 0] - X[:, 1], np.ones(len(X))])
    elif rows == "perfect column":
        X = np.column_stack([X, problem.y == 1])
    elif rows == "float32":
        X = X.astype(np.float32)
    elif rows == "sparse":
        X = sp.csr_array(np.where(rng.random((90, 30)) < 0.08, 1.0 + np.arange(90)[:, None] % 3, 0.0))
    elif rows == "nearly dependent":
        X = np.column_stack([X, X[:, 0] + 1e-7 * rng.normal(size=len(X))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        model = combiner(member).fit(X, problem.y)
        wanted = separate(model, X, problem.y, None)
    assert model.result_.stats["route"] == ("one by one" if rows == "wide" else "shared moments")
    rtol = {"float32": 1e-4, "nearly dependent": 1e-5 if isinstance(member, dc.FisherDiscriminant) else 1e-9}
    for found, one in zip(model.estimators_, wanted, strict=True):
        assert found.result_.status is one.result_.status
        scores = one.decision_function(X)
        np.testing.assert_allclose(found.decision_function(X), scores, atol=rtol.get(rows, 1e-9) * np.abs(scores).max())

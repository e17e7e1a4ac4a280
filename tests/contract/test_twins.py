"""Every learner in every combination of its parameters says what its slow twin says."""

import numpy as np
import problems
import pytest
import reference
from answers import assert_close
from contract import registry

import discriminant as dc

PROBLEMS = [problems.two(), problems.three(), problems.five(), problems.three().weighted(), problems.two().weighted(),
            problems.in_other_units()]


def check(learner, configuration, problem, rtol=1e-8):
    case = f"{registry.name_of(learner, configuration)} on {problem.name}"
    model = learner(**configuration).fit(problem.X, problem.y, problem.weights)
    wanted = reference.twin_of(model, problem.X, problem.codes, problem.weights, problem.probes)
    for name, value in wanted.items():
        assert_close(getattr(model, name)(problem.probes), value, rtol=rtol, case=f"{case}: {name}")


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
@pytest.mark.parametrize("learner", registry.learners(), ids=lambda learner: learner.__name__)
def test_a_learner_agrees_with_its_twin(learner, problem, count_cases):
    configurations = registry.all_together(learner, problem.classes)
    going = registry.accepted(learner, configurations, problem.X, problem.y)
    assert len(going) >= len(registry.one_at_a_time(learner, problem.classes)) - 2
    for configuration in going:
        if configuration.get("alpha") == "loo":  # its grid depends on the data; a list is tried instead
            continue
        check(learner, configuration, problem)
        count_cases("learners against their slow twins")


@pytest.mark.filterwarnings("ignore::discriminant.errors.DegenerateWarning")
@pytest.mark.parametrize("problem", [problems.wide(), problems.wide(2), problems.wide().weighted()],
                         ids=lambda problem: problem.name)
@pytest.mark.parametrize("learner", registry.learners(), ids=lambda learner: learner.__name__)
def test_a_learner_agrees_with_its_twin_on_more_columns_than_rows(learner, problem, count_cases):
    tried = 0
    for configuration in registry.one_at_a_time(learner, problem.classes):
        model = learner(**configuration)
        value = configuration.get("shrinkage", configuration.get("alpha"))
        if (isinstance(value, str) and value == "loo") or (np.ndim(value) == 1 and 0 in value):
            continue  # the twin would have to decide what a singular covariance says of a row
        try:
            model.fit(problem.X, problem.y, problem.weights)
        except (dc.errors.ParameterError, dc.errors.DegenerateError):
            continue
        wanted = reference.twin_of(model, problem.X, problem.codes, problem.weights, problem.probes)
        for name, value in wanted.items():
            assert_close(getattr(model, name)(problem.probes), value, rtol=1e-7,
                         case=f"{registry.name_of(learner, configuration)}: {name}")
        tried += 1
    assert tried > 3
    count_cases("learners against their slow twins", tried)


@pytest.mark.parametrize("learner", registry.learners(), ids=lambda learner: learner.__name__)
def test_every_value_goes_with_some_problem(learner):
    """No value of the tables is refused everywhere."""
    for problem in (problems.two(), problems.three()):
        refused = [c for c in registry.one_at_a_time(learner, problem.classes)
                   if c not in registry.accepted(learner, [c], problem.X, problem.y)]
        if problem.name == problems.two().name:
            assert refused == []


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_what_fisher_keeps(problem, count_cases):
    X, codes = problem.X, problem.codes
    w = np.ones(len(X)) if problem.weights is None else problem.weights
    m = reference.class_moments(X, codes, w)
    for priors in (None, registry.BY_CLASSES["priors"](problem.classes)):
        model = dc.FisherDiscriminant(priors=priors).fit(X, codes, problem.weights)
        shares = m.weight / m.total if priors is None else priors
        assert_close(model.means_, m.mean, rtol=1e-12, case="means_")
        assert_close(model.priors_, shares, rtol=1e-12, case="priors_")
        assert model.criterion_ == pytest.approx(reference.criterion(X, codes, w), rel=1e-8)
        V, S = model.scalings_, m.pooled / m.total
        assert_close(V.T @ S @ V, np.eye(V.shape[1]), rtol=1e-9, case="scalings_ whiten the classes")
        offset = m.mean - shares @ m.mean
        ratios = np.diagonal(V.T @ (offset.T * shares) @ offset @ V)
        assert (np.diff(ratios) <= 1e-9 * ratios[0]).all()
        assert_close(model.explained_variance_ratio_, ratios / ratios.sum(), rtol=1e-9, case="variance ratios")
        projected = (problem.probes - shares @ m.mean) @ V
        assert_close(model.transform(problem.probes), projected, rtol=1e-8, case="transform")
        count_cases("learners against their slow twins", 6)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_what_the_generative_model_keeps(problem, count_cases):
    X, codes = problem.X, problem.codes
    w = np.ones(len(X)) if problem.weights is None else problem.weights
    m, (K, d) = reference.class_moments(X, codes, w), (len(problem.classes), X.shape[1])
    S = m.scatter / m.weight[:, None, None]
    variances = np.diagonal(S, axis1=1, axis2=2)
    kinds = {"shared": (m.pooled / m.total, d * (d + 1) // 2), "full": (S, K * d * (d + 1) // 2),
             "diagonal": (variances, K * d), "spherical": (variances.mean(axis=1), K)}
    for kind, (covariance, numbers) in kinds.items():
        model = dc.GaussianDiscriminant(covariance=kind).fit(X, codes, problem.weights)
        units = np.sqrt(np.diagonal(m.pooled) / m.total)
        scale = {"shared": units * units[:, None], "full": units * units[:, None], "diagonal": units**2}.get(
            kind, np.mean(units**2))
        assert_close(model.covariance_ / scale, covariance / scale, rtol=1e-9, case=f"{kind}: covariance_")
        assert_close(model.means_, m.mean, rtol=1e-12, case=f"{kind}: means_")
        assert model.n_parameters_ == K - 1 + K * d + numbers
        rows, labels = model.sample(40_000, random_state=0)
        again = dc.GaussianDiscriminant(covariance=kind).fit(rows, labels)
        assert np.abs(again.priors_ - model.priors_).max() < 0.02
        spread = np.sqrt(variances.max()) if kind == "spherical" else np.sqrt(variances.max(axis=0))
        assert (np.abs(again.means_ - model.means_) < 0.1 * spread).all(), f"{kind}: sampled means"
        assert (np.abs((again.covariance_ - covariance) / scale) < 0.1 * np.abs(covariance / scale).max()).all()
        count_cases("learners against their slow twins", 6)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_what_least_squares_keeps(problem, count_cases):
    X, codes = problem.X, problem.codes
    w = np.ones(len(X)) if problem.weights is None else problem.weights
    for kind in ("one-of-k", "bipolar", "fisher"):
        if kind == "fisher" and len(problem.classes) > 2:
            continue
        T = reference.target_table(np.bincount(codes, w), kind)[codes]
        for alpha in (0.0, 3.0):
            B, b = reference.least_squares(X, T, w, alpha)
            model = dc.LeastSquaresClassifier(targets=kind, alpha=alpha).fit(X, codes, problem.weights)
            assert model.error_ == pytest.approx(0.5 * (w @ (X @ B + b - T) ** 2).sum(), rel=1e-8)
            assert model.alpha_ == alpha
            count_cases("learners against their slow twins", 2)
    alphas = [0.01, 1.0, 100.0]
    rel = 1e-5 if "units" in problem.name else 1e-8  # the path squares the ratio of the units, which is 1e9
    model = dc.LeastSquaresClassifier(alpha=alphas).fit(X, codes, problem.weights)
    T = np.eye(len(problem.classes))[codes]
    for g, alpha in enumerate(alphas):
        left = np.empty_like(T)
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            B, b = reference.least_squares(X[rest], T[rest], w[rest], alpha)
            left[i] = X[i] @ B + b
        assert model.path_["score"][g] == pytest.approx(w @ (left.argmax(axis=1) == codes) / w.sum(), abs=1e-12)
        assert model.path_["squared_error"][g] == pytest.approx((w @ (left - T) ** 2).sum() / w.sum(), rel=rel)
        count_cases("learners against their slow twins", 2)
    assert model.path_["alpha"].tolist() == alphas
    assert model.loo_score_ == model.path_["score"].max()


@pytest.mark.parametrize("weighted", [False, True])
def test_the_twins_of_shrinkage_are_those_of_scikit_learn(weighted):
    problem = problems.five()
    w = np.ones(len(problem.y)) if not weighted else problem.weighted().weights
    Z = problem.X - reference.class_moments(problem.X, problem.codes).mean[problem.codes]
    repeated = np.repeat(Z, w.astype(int), axis=0)
    lw, oas = reference.shrinkages_of_sklearn(repeated)
    S = (w[:, None] * Z).T @ Z / w.sum()
    assert reference.ledoit_wolf(Z, w) == pytest.approx(lw, rel=1e-10)
    assert reference.oas(S, w.sum()) == pytest.approx(oas, rel=1e-10)

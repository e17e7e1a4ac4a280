"""One class, one row, constant, duplicate and collinear columns, fewer rows than columns, as many classes as rows.

Every case ends in sound answers or in an error that names the cause; and where what is degenerate should not matter
(a constant column, a copy of a column, a row of weight 0), the answers are those without it.
"""

import pickle
import warnings
from contextlib import suppress

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from answers import answers, assert_close, assert_same_answers
from contract import registry
from reliability.checks import Cases, assert_refused, assert_sound, within_seconds

from discriminant.errors import DegenerateError, DegenerateWarning, InputError, ParameterError, ScaleError

KIND = "degenerate data"
by_learner = pytest.mark.parametrize("learner", registry.unit_free(), ids=lambda learner: learner.__name__)


rng = np.random.default_rng(11)


def every_configuration(learner, classes):
    return registry.one_at_a_time(learner, np.arange(classes))


def fit(learner, configuration, X, y, w=None):
    """The model, or None where it refuses by name; warnings of anything but degenerate data are failures."""
    with warnings.catch_warnings(), within_seconds(2.0):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DegenerateWarning)
        try:
            return learner(**configuration).fit(X, y, w)
        except (InputError, ParameterError) as error:
            refused = str(error)
    assert any(word in refused for word in ("class", "column", "weight", " X ", *configuration)), f"no cause: {refused}"
    return None


def degenerate():
    """{name: (X, y)}."""
    def classes(n, k):
        return np.arange(n) % k

    normal = rng.standard_normal
    steps = np.arange(12.0)[:, None]
    return {
        "all zero": (np.zeros((12, 3)), classes(12, 3)), "all one": (np.ones((12, 3)), classes(12, 2)),
        "all equal": (np.full((12, 3), 0.1), classes(12, 3)),
        "all equal, huge": (np.full((12, 3), 1e300), classes(12, 2)),
        "equal rows": (np.tile(normal(4), (12, 1)), classes(12, 3)),
        "two different rows": (np.tile(normal((2, 4)), (6, 1)), classes(12, 2)),
        "no spread within classes": (normal((3, 4))[classes(12, 3)], classes(12, 3)),
        "no spread, d = 1": (classes(12, 3)[:, None].astype(float), classes(12, 3)),
        "the label as the only column": (classes(12, 2)[:, None].astype(float), classes(12, 2)),
        "the label among columns": (np.column_stack([classes(20, 2), normal((20, 2))]), classes(20, 2)),
        "equal class means": (np.vstack([normal((8, 3))] * 3), np.repeat([0, 1, 2], 8)),
        "equal classes, d = 1": (np.vstack([steps] * 2), np.repeat([0, 1], 12)),
        "one column": (normal((20, 1)), classes(20, 3)), "one column, two values": (
            np.round(rng.random((20, 1))), classes(20, 2)),
        "two rows": (normal((2, 3)), np.array([0, 1])), "two rows, d = 1": (normal((2, 1)), np.array([0, 1])),
        "two equal rows": (np.ones((2, 3)), np.array([0, 1])), "three rows": (normal((3, 2)), np.array([0, 1, 1])),
        "K = n": (normal((6, 3)), np.arange(6)), "K = n, d = 1": (normal((6, 1)), np.arange(6)),
        "K = n < d": (normal((6, 9)), np.arange(6)), "K = n, unit rows": (np.eye(5), np.arange(5)),
        "K = n - 1": (normal((6, 3)), np.r_[np.arange(5), 0]),
        "one row in a class": (normal((13, 3)), np.r_[classes(12, 2), 2]),
        "one row in every class but one": (normal((9, 3)), np.r_[0, 0, 0, 0, 1, 2, 3, 4, 5]),
        "n = d": (normal((6, 6)), classes(6, 2)), "n = d + 1": (normal((7, 6)), classes(7, 2)),
        "n = d + K - 1": (normal((7, 6)), classes(7, 2)), "n = d + K": (normal((8, 6)), classes(8, 2)),
        "n < d": (normal((6, 30)), classes(6, 2)),
        "n < d, equal rows": (np.tile(normal((2, 30)), (4, 1)), classes(8, 2)),
        "n < d, constant": (np.ones((6, 30)), classes(6, 3)), "n < d, one class of equal rows": (
            np.vstack([np.ones((4, 20)), normal((4, 20))]), np.repeat([0, 1], 4)),
        "n < d, zero columns": (np.hstack([normal((6, 3)), np.zeros((6, 20))]), classes(6, 2)),
        "a constant column": (np.column_stack([normal((20, 3)), np.full(20, 7.0)]), classes(20, 3)),
        "only one column varies": (np.column_stack([normal(20), np.ones((20, 3))]), classes(20, 3)),
        "constant in one class": (np.column_stack([normal(20), np.where(classes(20, 2) == 0, 1.0, normal(20))]),
                                  classes(20, 2)),
        "one class of equal rows": (np.vstack([np.ones((8, 3)), normal((8, 3))]), np.repeat([0, 1], 8)),
        "columns twice": (np.tile(normal((20, 3)), 2), classes(20, 3)),
        "columns twenty times": (np.tile(normal((20, 1)), 20), classes(20, 2)),
        "a sum of columns": (normal((20, 3)) @ np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]]), classes(20, 3)),
        "a negated column": (np.hstack([c := normal((20, 2)), -c]), classes(20, 2)),
        "nearly equal columns": (np.hstack([c := normal((20, 1)), c + 1e-14 * normal((20, 1))]), classes(20, 2)),
        "rank one": (normal((20, 1)) @ normal((1, 6)), classes(20, 3)),
        "rank one, offset": (normal((20, 1)) @ normal((1, 6)) + 1e6, classes(20, 3)),
        "Hilbert": (1 / (np.arange(12)[:, None] + np.arange(8) + 1.0), classes(12, 2)),
        "Vandermonde": (np.linspace(0, 1, 20)[:, None] ** np.arange(12), classes(20, 2)),
        "one-hot": (np.eye(4)[rng.integers(0, 4, 24)], classes(24, 3)),
        "one-hot of the label": (np.eye(3)[classes(24, 3)], classes(24, 3)),
        "collinear points": (steps @ np.array([[1.0, 2.0]]), classes(12, 2)),
        "separable by far": (np.vstack([normal((10, 2)), normal((10, 2)) + 1e8]), np.repeat([0, 1], 10)),
        "one against many": (normal((40, 3)), np.r_[1, np.zeros(39, int)]),
        "many classes": (normal((60, 3)), np.arange(60) % 25),
        "integers": (rng.integers(-2, 3, (20, 4)), classes(20, 3)),
        "checkerboard": (np.indices((20, 4)).sum(0) % 2, classes(20, 2)),
        "bits": (rng.random((20, 6)) > 0.5, classes(20, 3)),
    }


DATA = degenerate()


@pytest.mark.parametrize("how", ["dense", "sparse", "float32", "weighted"])
@by_learner
def test_sound_answers_or_a_named_error(learner, how, count_cases):
    cases, answered = Cases(count_cases, KIND), 0
    for name, (X, y) in DATA.items():
        rows = {"sparse": lambda X: sp.csr_array(X.astype(float)), "float32": lambda X: X.astype(np.float32)}.get(
            how, lambda X: X)
        if how == "float32" and np.abs(X).max() > 1e38:
            continue
        w = rng.integers(1, 4, len(y)) * 1.0 if how == "weighted" else None
        for configuration in every_configuration(learner, len(np.unique(y))):
            with cases.case(f"{registry.name_of(learner, configuration)}, {how}, {name}"):
                model = fit(learner, configuration, rows(X), y, w)
                if model is not None:
                    with np.errstate(all="raise", under="ignore"):
                        assert_sound(model, rows(X))
                        assert_sound(model, rows(X[:1]))
                    answered += 1
    cases.finish(400)
    assert answered > 0.5 * cases.tried, f"only {answered} of {cases.tried} cases were answered"


@by_learner
def test_separable_data_without_spread_are_told_apart_or_refused(learner, count_cases):
    """Rows that say the class outright must not end in a model that says one class for all."""
    cases = Cases(count_cases, KIND)
    for name in ("no spread within classes", "the label as the only column", "one-hot of the label", "K = n < d",
                 "K = n, unit rows", "the label among columns", "two rows", "n < d, equal rows", "two different rows"):
        X, y = DATA[name]
        for configuration in every_configuration(learner, len(np.unique(y))):
            if configuration.get("n_components") or configuration.get("fit_intercept") is False:
                continue
            if configuration.get("rule", "bayes") not in ("bayes", "midpoint") or configuration.get("alpha"):
                continue
            if configuration.get("shrinkage") == 1:  # only means count, whatever the spread
                continue
            with cases.case(f"{registry.name_of(learner, configuration)}, {name}"), warnings.catch_warnings(record=True
                                                                                                          ) as told:
                warnings.simplefilter("always", DegenerateWarning)
                try:
                    model = learner(**configuration).fit(X, y)
                except (InputError, ParameterError):
                    continue
                assert model.score(X, y) == 1.0 or told, f"score {model.score(X, y):.2f}, and nobody is told"
    cases.finish(50)


@by_learner
def test_one_class_is_refused(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for rows in (1, 2, 5, 50):
        for columns in (1, 3, 60):
            for label in (0, 1, "a", True, 2.0):
                for configuration in every_configuration(learner, 2)[:4]:
                    with cases.case(f"{registry.name_of(learner, configuration)}, {rows} x {columns}, {label!r}"):
                        X, y = rng.standard_normal((rows, columns)), np.full(rows, label)
                        assert_refused(("class",), ("one class",), learner(**configuration).fit, X, y)
    cases.finish(200)


def unpenalised(learner, classes):
    """Configurations in which a column that says nothing new changes nothing."""
    return [c for c in every_configuration(learner, classes)
            if c.get("shrinkage") is None and not np.any(c.get("alpha", 0) != 0)
            and c.get("covariance") not in ("diagonal", "spherical") and isinstance(c.get("rule", ""), str)]


def scores(model, X):
    return {name: value for name, value in answers(model, X).items() if name in ("decision_function", "predict")}


@by_learner
def test_columns_that_say_nothing_new_change_nothing(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for problem in (problems.two(), problems.three(), problems.five()):
        X, probes = problem.X, problem.probes
        combination = rng.standard_normal((X.shape[1], 2))
        added = {
            "a constant": lambda P: np.full((len(P), 1), 3.7), "a zero": lambda P: np.zeros((len(P), 1)),
            "a huge constant": lambda P: np.full((len(P), 1), 1e17),
            "a tiny constant": lambda P: np.full((len(P), 1), 1e-300),
            "a copy": lambda P: P[:, :1], "all copied": lambda P: P, "a negated copy": lambda P: -P[:, 1:2],
            "a copy in other units": lambda P: 1024 * P[:, :1], "a copy with an offset": lambda P: P[:, :1] + 5,
            "combinations": lambda P, C=combination: P @ C, "an affine combination": lambda P, C=combination: P @ C + 2,
            "copies and constants": lambda P: np.hstack([P, np.ones((len(P), 4)), P[:, ::-1]]),
        }
        for configuration in unpenalised(learner, len(problem.classes)):
            base = fit(learner, configuration, X, problem.y, problem.weights)
            if base is None:
                continue
            for name, add in added.items():
                if configuration.get("fit_intercept") is False and ("constant" in name or "affine" in name or "offset"
                                                                     in name):
                    continue
                with cases.case(f"{registry.name_of(learner, configuration)}, {problem.name}, {name}"):
                    model = fit(learner, configuration, np.hstack([X, add(X)]), problem.y, problem.weights)
                    if model is not None:
                        assert_same_answers(scores(model, np.hstack([probes, add(probes)])), scores(base, probes),
                                            rtol=1e-5)
    cases.finish(30)


@by_learner
def test_collinear_columns_beside_one_in_another_unit(learner, count_cases):
    """One-hot columns, which sum to one, beside lengths in metres or nanometres."""
    cases = Cases(count_cases, KIND)
    for problem in (problems.blobs(60, 4, 2), problems.blobs(60, 4, 3)):
        sets = {
            "a copy": lambda X: np.hstack([X, X[:, :1]]),
            "a sum": lambda X: np.hstack([X, X[:, :1] + X[:, 1:2]]),
            "one-hot": lambda X: np.hstack([X, (X[:, :1] > 0) * 1.0, (X[:, :1] <= 0) * 1.0]),
            "two copies": lambda X: np.hstack([X, X[:, 1:3]]),
        }
        for name, add in sets.items():
            rows, probes = add(problem.X), add(problem.probes)
            for configuration in unpenalised(learner, len(problem.classes)):
                base = fit(learner, configuration, rows, problem.y)
                for exponent in (-300, -100, -60, -40, -20, -10, 10, 20, 40, 60, 100, 300):
                    if base is None:
                        continue
                    factor = np.ones(rows.shape[1])
                    factor[3] = np.ldexp(1.0, exponent)
                    case = f"{registry.name_of(learner, configuration)}, {problem.name}, {name}, 2^{exponent}"
                    with cases.case(case):
                        model = fit(learner, configuration, rows * factor, problem.y)
                        assert model is not None, "refused"
                        assert_same_answers(scores(model, probes * factor), scores(base, probes), rtol=1e-6)
    cases.finish(90)


@by_learner
def test_rows_of_weight_zero_are_not_there(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for problem in (problems.two(), problems.three(), problems.wide()):
        strangers = {"ordinary": problem.X[:5], "far away": 1e6 + problem.X[:5],
                     "huge": np.full((5, problem.X.shape[1]), 1e30),
                     "zero": np.zeros((5, problem.X.shape[1]))}
        for configuration in every_configuration(learner, len(problem.classes)):
            base = fit(learner, configuration, problem.X, problem.y, np.ones(len(problem.y)))
            if base is None:
                continue
            for name, rows in strangers.items():
                with cases.case(f"{registry.name_of(learner, configuration)}, {problem.name}, {name} rows"):
                    y = np.r_[problem.y, problem.y[:5]]
                    w = np.r_[np.ones(len(problem.y)), np.zeros(5)]
                    model = fit(learner, configuration, np.vstack([problem.X, rows]), y, w)
                    assert model is not None, "refused"
                    rtol = 1e-9 if name != "huge" else 1e-6
                    assert_same_answers(scores(model, problem.probes), scores(base, problem.probes), rtol=rtol)
    cases.finish(60)


@by_learner
def test_repeated_rows_are_weights(learner, count_cases):
    """Apart from choices by leave-one-out, for which two copies of a row are two rows."""
    cases = Cases(count_cases, KIND)
    for problem in (problems.two(), problems.three(), problems.wide(), problems.five()):
        times = rng.integers(0, 4, len(problem.y))
        times[[np.flatnonzero(problem.codes == k)[0] for k in range(len(problem.classes))]] = 3
        for configuration in every_configuration(learner, len(problem.classes)):
            chosen = [v for v in configuration.values() if isinstance(v, list) or (isinstance(v, str) and v == "loo")]
            if chosen:
                continue
            with cases.case(f"{registry.name_of(learner, configuration)}, {problem.name}"):
                repeated = fit(learner, configuration, problem.X.repeat(times, 0), problem.y.repeat(times))
                weighted = fit(learner, configuration, problem.X, problem.y, times.astype(float))
                assert (repeated is None) == (weighted is None), "one is refused"
                if repeated is not None:
                    assert_same_answers(answers(weighted, problem.probes), answers(repeated, problem.probes), rtol=1e-7)
    cases.finish(30)


@by_learner
def test_partial_fit_in_pieces_of_every_size(learner, count_cases):
    """The model of `fit` on all rows, also where classes come later, and rows one by one."""
    if not hasattr(learner, "partial_fit"):
        return
    cases = Cases(count_cases, KIND)
    for problem in (problems.two(), problems.three(), problems.three().weighted(), problems.five(), problems.wide()):
        for order in ("shuffled", "class by class"):
            rows = np.arange(len(problem.y)) if order == "shuffled" else np.argsort(problem.codes, kind="stable")
            X, y = problem.X[rows], problem.y[rows]
            w = None if problem.weights is None else problem.weights[rows]
            for configuration in every_configuration(learner, len(problem.classes)):
                wanted = fit(learner, configuration, X, y, w)
                if wanted is None or ("priors" in configuration and order != "shuffled"):
                    continue
                for size in (1, 7, 20, len(X)):
                    with cases.case(f"{registry.name_of(learner, configuration)}, {problem.name}, {order}, by {size}"):
                        model = grown(learner, configuration, X, y, w, size, problem.classes)
                        if model is not None:
                            found = answers(model, problem.probes)
                            assert_same_answers(found, answers(wanted, problem.probes), rtol=1e-6)
    cases.finish(30)


def grown(learner, configuration, X, y, w, size, classes):
    """A model fed `size` rows at a time, pickled now and then, or None where its parameters need all rows at once."""
    model = learner(**configuration)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DegenerateWarning)
        for start in range(0, len(X), size):
            part = slice(start, start + size)
            refused = ""
            try:
                model.partial_fit(X[part], y[part], classes if start == 0 else None,
                                  None if w is None else w[part])
            except (ParameterError, DegenerateError) as error:
                refused = str(error)
            if refused:
                assert "all rows" in refused or start + size < len(X), refused
                return None
            if start // size % 3 == 1:
                model = pickle.loads(pickle.dumps(model))
    return model


@by_learner
def test_the_answers_do_not_mind_order_and_names(learner, count_cases):
    """Rows in another order, columns in another order, classes by other names."""
    cases = Cases(count_cases, KIND)
    for problem in (problems.two(), problems.three().weighted(), problems.wide(), problems.five()):
        rows, columns = rng.permutation(len(problem.X)), rng.permutation(problem.X.shape[1])
        w = np.ones(len(problem.y)) if problem.weights is None else problem.weights
        swapped = len(problem.classes) - 1 - problem.codes
        for configuration in every_configuration(learner, len(problem.classes)):
            base = fit(learner, configuration, problem.X, problem.codes, w)
            if base is None:
                continue
            wanted = answers(base, problem.probes)
            name = f"{registry.name_of(learner, configuration)}, {problem.name}"
            with cases.case(f"{name}, order of rows"):
                model = fit(learner, configuration, problem.X[rows], problem.codes[rows], w[rows])
                assert_same_answers(answers(model, problem.probes), wanted, rtol=1e-8)
            with cases.case(f"{name}, order of columns"):
                model = fit(learner, configuration, problem.X[:, columns], problem.codes, w)
                assert_same_answers(answers(model, problem.probes[:, columns]), wanted, rtol=1e-7)
            if "priors" in configuration or "class_weight" in configuration or "rule" in configuration:
                continue
            with cases.case(f"{name}, names of classes"):
                model = fit(learner, configuration, problem.X, swapped, w)
                found = model.decision_function(problem.probes)
                backwards = -found if found.ndim == 1 else found[:, ::-1]
                assert_close(backwards, wanted["decision_function"], rtol=1e-8)
    cases.finish(60)


def mixture(seed):
    """Rows (n, d), codes, weights and the number of classes: normal cells, to which anything at all is done."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.choice([2, 3, 4, 5, 7, 10, 20, 60])), int(rng.choice([1, 2, 3, 5, 12, 40]))
    K = int(rng.integers(2, min(n, 6) + 1))
    codes = np.r_[np.arange(K), rng.integers(0, K, n - K)]
    X = rng.standard_normal((n, d))
    for deed in rng.integers(0, 12, rng.integers(0, 4)):
        i, j, k = rng.integers(n), rng.integers(d), rng.integers(d)
        if deed < 5:
            X[:, j] = (0.0, rng.choice([1, -3.7, 1e5]), X[:, k], codes, X[:, j] * 2.0 ** rng.integers(-500, 500))[deed]
        elif deed == 5:
            X[codes == codes[i]] = X[i]
        elif deed == 6:
            X = np.ldexp(X, rng.integers(-1060, 1000))
        elif deed == 7:
            X[i, j] = rng.choice([1e300, 1e150, 1e-300, 0, 1e30])
        elif deed == 8:
            X[i] = X[rng.integers(n)]
        else:
            turned = X @ rng.standard_normal((d, d)) * (rng.random(d) > 0.5)
            X = (np.round(X), X + rng.choice([1e3, 1e6, 1e9]), turned)[deed - 9]
    w = None if rng.random() < 0.6 else rng.choice([0.0, 0.25, 1, 2, 1e-12, 1e12, 3], n)
    return X, codes, w, K


@by_learner
def test_mixtures_of_everything(learner, count_cases, pytestconfig):
    """Sound answers or a named error, whatever comes together; rows may be too large for densities, and it says so."""
    cases, answered = Cases(count_cases, KIND), 0
    for seed in range(40_000 if pytestconfig.getoption("--thorough") else 1500):
        with np.errstate(all="ignore"):
            X, codes, w, K = mixture(seed)
            how = ("dense", "dense", "sparse", "float32")[seed % 4]
            rows = sp.csr_array(X) if how == "sparse" else X.astype(np.float32) if how == "float32" else X
        if not np.isfinite(rows.data if how == "sparse" else rows).all():
            continue
        offered = registry.all_together(learner, np.arange(K))
        configuration = offered[seed % len(offered)]
        with cases.case(f"{registry.name_of(learner, configuration)}, {how}, seed {seed}"):
            model = fit(learner, configuration, rows, codes, w)
            if model is not None:
                with suppress(ScaleError):
                    assert_sound(model, rows)
                answered += 1
    cases.finish(1000)
    assert answered > 0.3 * cases.tried, f"only {answered} of {cases.tried} cases were answered"

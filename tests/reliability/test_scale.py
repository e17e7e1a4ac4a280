"""Columns from denormal numbers to 1e300, means far larger than deviations, columns of very different scale.

Factors are powers of two, so that the twin (the same rows brought back to a comfortable scale) is exact even where the
cells lost digits by becoming denormal. Either the answers are the twin's, or there is a named error; each in a second.
"""

import warnings

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from answers import answers, assert_close
from contract import registry
from reliability.checks import Cases, within_seconds

from discriminant.errors import DegenerateWarning, InputError
from discriminant.places.memory import MemoryPlace

KIND = "scales of columns and means"
EXPONENTS = (-1074, -1072, -1065, -1050, -1030, -1022, -1015, -1000, -900, -700, -550, -511, -400, -200, -64, -20, 20,
             64, 200, 400, 505, 511, 520, 700, 900, 980, 1000, 1015, 1020)
by_learner = pytest.mark.parametrize("learner", registry.unit_free(), ids=lambda learner: learner.__name__)


def configurations(learner, problem, wanted=lambda configuration: True):
    offered = [c for c in registry.one_at_a_time(learner, problem.classes) if wanted(c)]
    return registry.accepted(learner, offered, problem.X, problem.y)


def minds_units(configuration):
    """Whether a change of one column's unit changes the model: shrinkage towards the identity, ridge, one variance."""
    shrinks = configuration.get("shrinkage") not in (None, "auto", 0) or np.ndim(configuration.get("shrinkage"))
    return bool(shrinks or np.any(configuration.get("alpha", 0) != 0) or configuration.get("covariance") == "spherical"
                or ("rule" in configuration and not isinstance(configuration["rule"], str)))


def in_new_unit(configuration, factor):
    """The configuration that means the same once all columns were multiplied by `factor`."""
    alpha = configuration.get("alpha")
    if alpha is None or isinstance(alpha, str):
        return configuration
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.asarray(alpha, float) * factor * factor
    if not np.isfinite(scaled).all() or (scaled[np.asarray(alpha) > 0] == 0).any():
        return None
    return {**configuration, "alpha": scaled.tolist()}


def own_rounding(exponent):
    """What storing a mean among denormal numbers costs, relative to a cell near 2^exponent."""
    return 4 * 2.0 ** (-1074 - exponent)


def outcome(learner, configuration, X, y, w, probes):
    """The answers, or the named error; warnings of anything but degenerate data are failures."""
    with warnings.catch_warnings(), within_seconds(1.0):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DegenerateWarning)
        try:
            return answers(learner(**configuration).fit(X, y, w), probes)
        except InputError as error:
            refused = str(error)
    assert any(word in refused for word in ("X", "column", "class", "rows")), f"no cause is named: {refused}"
    return None


def compare(found, wanted, rtol, shift=0.0, joint=False):
    """Scores of classes do not depend on units; log densities move by the logarithm of the unit. `joint`: the scores
    of many classes are log densities too."""
    if found is None:
        return "refused"
    for name in ("log_density", *(["decision_function"] if joint and wanted["decision_function"].ndim == 2 else [])):
        if name in found and name in wanted:
            wanted = {**wanted, name: wanted[name] - shift}
    for name, value in wanted.items():
        if name not in ("predict", "transform") and name in found:
            assert_close(found[name], value, rtol=rtol, case=name)
        elif name == "transform":  # the sign of a direction is free
            assert_close(np.abs(found[name]), np.abs(value), rtol=rtol, case=name)
    return "agreed"


@by_learner
@pytest.mark.parametrize("kind", ["tall", "wide", "weighted", "sparse", "sparse and wide", "float32"])
def test_all_columns_in_another_unit(learner, kind, count_cases):
    cases, agreed = Cases(count_cases, KIND), 0
    problem = problems.wide() if "wide" in kind else problems.three() if kind != "sparse" else problems.blobs(300, 6, 3)
    X, probes, w = problem.X, problem.probes, problem.weighted().weights if kind == "weighted" else None
    if "sparse" in kind:
        X = np.where(np.random.default_rng(0).random(X.shape) < 0.07, X, 0.0)
        assert MemoryPlace(sp.csr_array(X)).is_sparse
    if kind == "float32":
        X, probes = X.astype(np.float32), probes.astype(np.float32)
    exponents = [e for e in EXPONENTS if kind != "float32" or -149 <= e <= 120]
    exponents += [-149, -140, -130, -126, -120, -100, -75, 75, 100, 115, 120] if kind == "float32" else []
    for exponent in exponents:
        with np.errstate(over="ignore", under="ignore"):
            scaled, there = (np.ldexp(part, exponent) for part in (X, probes))
        assert np.isfinite(scaled).all() and np.isfinite(there).all()
        twin, back = np.ldexp(scaled, -exponent), np.ldexp(there, -exponent)
        for configuration in configurations(learner, problem):
            given = in_new_unit(configuration, np.ldexp(1.0, exponent)) if exponent < 1024 else None
            rule = configuration.get("rule")
            if given is None or not (rule is None or isinstance(rule, str)):
                continue
            if kind == "sparse and wide" and configuration.get("shrinkage") == "auto":
                continue  # a column constant in a class is divided by 1, as in scikit-learn, so its unit matters
            with cases.case(f"{registry.name_of(learner, configuration)}, {kind}, 2^{exponent}"):
                wanted = outcome(learner, configuration, twin, problem.y, w, back)
                rows = sp.csr_array(scaled) if "sparse" in kind else scaled
                found = outcome(learner, given, rows, problem.y, w, there)
                if wanted is not None:
                    rtol = 1e-3 if kind == "float32" else max(1e-7, own_rounding(exponent))
                    agreed += compare(found, wanted, rtol, X.shape[1] * exponent * np.log(2),
                                      configuration.get("covariance", "shared") != "shared") == "agreed"
                else:
                    assert found is None or exponent < -1000
    cases.finish(80)
    assert agreed > 0.5 * cases.tried, f"only {agreed} of {cases.tried} cases were answered"


MIXED = {"one tiny": (0, 0, 0, -500), "one huge": (0, 0, 0, 500), "tiny and huge": (-300, 0, 0, 300),
         "from 1e-150 to 1e150": (-498, -166, 166, 498), "alternating": (200, -200, 200, -200),
         "far down": (0, 0, -700, 0), "far up": (700, 0, 0, 0), "denormal": (0, -1060, 0, 0),
         "to the limits": (-1000, -300, 300, 1000), "all far": (-900, -899, 899, 900),
         "one at the top": (0, 0, 0, 1018), "one at the bottom": (0, 0, 0, -1070)}


@by_learner
@pytest.mark.parametrize("kind", ["tall", "weighted", "sparse", "wide"])
def test_each_column_in_a_unit_of_its_own(learner, kind, count_cases):
    cases, agreed = Cases(count_cases, KIND), 0
    problem = problems.wide() if kind == "wide" else problems.three()
    w = problem.weighted().weights if kind == "weighted" else None
    for name, exponents in MIXED.items():
        exponents = np.resize(exponents, problem.X.shape[1])
        with np.errstate(over="ignore", under="ignore"):
            scaled, there = np.ldexp(problem.X, exponents), np.ldexp(problem.probes, exponents)
        twin, back = np.ldexp(scaled, -exponents), np.ldexp(there, -exponents)
        for configuration in configurations(learner, problem):
            with cases.case(f"{registry.name_of(learner, configuration)}, {kind}, {name}"):
                rows = sp.csr_array(scaled) if kind == "sparse" else scaled
                found = outcome(learner, configuration, rows, problem.y, w, there)
                shortest = "alpha" in learner.parameters or configuration.get("shrinkage") == 0
                if minds_units(configuration) or (kind == "wide" and shortest):  # lengths are in the user's units
                    assert found is None or all(np.isfinite(value).all() for method, value in found.items()
                                                if method not in ("predict", "predict_log_proba"))
                    continue
                wanted = outcome(learner, configuration, twin, problem.y, w, back)
                if wanted is not None:
                    rtol = max(1e-6, own_rounding(exponents.min()))
                    agreed += compare(found, wanted, rtol, exponents.sum() * np.log(2),
                                      configuration.get("covariance", "shared") != "shared") == "agreed"
    cases.finish(50)
    assert agreed > 10 or kind == "wide"


@by_learner
@pytest.mark.parametrize("value", [0.0, 1.0, 3e5, -1e200])
def test_a_constant_column_beside_small_ones(learner, value, count_cases):
    """The constant column says nothing, whatever its size; the others are measured by their own."""
    cases = Cases(count_cases, KIND)
    for problem in (problems.three(), problems.wide()):
        for exponent in (-1000, -600, -500, -300, -200, -40, 0):
            X, probes = (np.column_stack([np.ldexp(part, exponent), np.full(len(part), value)])
                         for part in (problem.X, problem.probes))
            twin, back = (np.column_stack([part, np.ones(len(part))]) for part in (problem.X, problem.probes))
            for configuration in configurations(learner, problem, lambda c: c.get("fit_intercept", True)):
                given = in_new_unit(configuration, np.ldexp(1.0, exponent))
                if given is None or not isinstance(configuration.get("rule", ""), str):
                    continue
                with cases.case(f"{registry.name_of(learner, configuration)}, {problem.name}, {value:g} beside "
                                f"2^{exponent}"):
                    wanted = outcome(learner, configuration, twin, problem.y, None, back)
                    found = outcome(learner, given, X, problem.y, None, probes)
                    if wanted is not None and found is not None:
                        linear = hasattr(learner, "coef_") or configuration.get("covariance", "shared") == "shared"
                        compare({name: found[name] for name in found if name != "log_density" and linear}, {
                            name: wanted[name] for name in wanted if name != "log_density" and linear}, 1e-6)
    cases.finish(50)


@by_learner
@pytest.mark.parametrize("kind", ["tall", "wide", "sparse", "float32", "large"])
def test_means_far_larger_than_deviations(learner, kind, count_cases):
    """The twin is what is left of the cells once the offset was taken off again, which is exact."""
    cases = Cases(count_cases, KIND)
    problem = problems.wide() if kind == "wide" else problems.three()
    if kind == "large":
        problem = problems.blobs(20_000, 5, 3)
    dtype = np.float32 if kind == "float32" else np.float64
    eps = float(np.finfo(dtype).eps)
    offsets = (1e1, 1e2, 1e3) if kind == "float32" else (1e2, 1e4, 1e6, 1e8, 1e10)
    for offset in offsets:
        for signs in ("same", "mixed", "one column"):
            shift = np.full(problem.X.shape[1], offset)
            if signs == "mixed":
                shift *= np.resize([1, -1], len(shift))
            elif signs == "one column":
                shift[1:] = 0
            X, probes = (problem.X + shift).astype(dtype), (problem.probes + shift).astype(dtype)
            twin, back = (X.astype(float) - shift).astype(dtype), (probes.astype(float) - shift).astype(dtype)
            offered = configurations(learner, problem, lambda c: c.get("fit_intercept", True) and not isinstance(
                c.get("rule", ""), float))
            for configuration in offered if kind != "large" else offered[:3]:
                with cases.case(f"{registry.name_of(learner, configuration)}, {kind}, {signs} offset {offset:g}"):
                    wanted = outcome(learner, configuration, twin, problem.y, None, back)
                    rows = sp.csr_array(X) if kind == "sparse" else X
                    found = outcome(learner, configuration, rows, problem.y, None, probes)
                    if wanted is not None:
                        assert found is not None, "refused"
                        compare(found, wanted, 1e5 * eps * offset if kind == "wide" else 3e3 * eps * offset)
    cases.finish(10)


@by_learner
def test_one_cell_far_away(learner, count_cases):
    """An outlier of any size: the right answer or a named error, never NaN."""
    cases = Cases(count_cases, KIND)
    problem = problems.three()
    for exponent in EXPONENTS:
        if exponent < 20:
            continue
        for row in (0, 17, len(problem.X) - 1):
            X = problem.X.copy()
            X[row, 2] = np.ldexp(1.0, exponent)
            for configuration in configurations(learner, problem):
                with cases.case(f"{registry.name_of(learner, configuration)}, cell of 2^{exponent} in row {row}"):
                    found = outcome(learner, configuration, X, problem.y, None, problem.probes)
                    assert found is None or all(np.isfinite(value).all() for method, value in found.items()
                                                if method not in ("predict", "predict_log_proba"))
    cases.finish(200)


@by_learner
def test_units_that_a_sample_of_the_rows_does_not_show(learner, count_cases):
    """Most rows small and a few huge, or the other way round, in more rows than are sampled for the units."""
    cases = Cases(count_cases, KIND)
    problem = problems.blobs(4000, 3, 2)
    for exponent in (-1060, -1000, -600, -300, 300, 600, 1000):
        for every in (7, 1000, 3999):
            X = problem.X.copy()
            X[1::every, 0] = np.ldexp(X[1::every, 0], exponent)
            zero = problem.X.copy()
            zero[:, 1] = 0
            zero[3::every, 1] = np.ldexp(problem.X[3::every, 1], exponent)
            for name, rows in (("mixed", X), ("mostly zero", zero)):
                for configuration in configurations(learner, problem)[:6]:
                    with cases.case(f"{registry.name_of(learner, configuration)}, {name}, 2^{exponent}, {every}"):
                        found = outcome(learner, configuration, rows, problem.y, None, problem.probes)
                        assert found is None or all(not np.isnan(value).any() for method, value in found.items()
                                                    if method != "predict")
    cases.finish(100)


@by_learner
def test_weights_of_any_scale(learner, count_cases):
    """Only ratios of weights count, apart from a ridge penalty and the names of shrinkage that count rows."""
    cases = Cases(count_cases, KIND)
    problem = problems.three().weighted()
    counted = ("ledoit-wolf", "oas", "auto")
    for configuration in configurations(learner, problem, lambda c: c.get("shrinkage") not in counted):
        base = outcome(learner, configuration, problem.X, problem.y, problem.weights, problem.probes)
        for exponent in (-90, -60, -30, -10, 10, 30, 60, 90):
            factor = np.ldexp(1.0, exponent)
            given = dict(configuration)
            if np.any(np.asarray(given.get("alpha", 0)) != 0) and not isinstance(given["alpha"], str):
                given["alpha"] = (np.asarray(given["alpha"]) * factor).tolist()
            with cases.case(f"{registry.name_of(learner, configuration)}, weights times 2^{exponent}"):
                found = outcome(learner, given, problem.X, problem.y, factor * problem.weights, problem.probes)
                assert found is not None, "refused"
                compare(found, base, 1e-9)
    cases.finish(40)

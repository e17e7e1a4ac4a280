"""What cannot be done with some rows is refused by a marker that names the alternative; all else gives one answer."""

import warnings

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from answers import answers, assert_same_answers
from contract import registry

from discriminant.errors import UnsupportedHere
from discriminant.places import unsupported
from discriminant.places.memory import MemoryPlace
from discriminant.result import Status
from discriminant.solvers import choose

by_learner = pytest.mark.parametrize("learner", registry.learners(), ids=lambda learner: learner.__name__)


def sparse_problem(classes=3):
    """Few cells, more rows than columns, every class with some in every column."""
    problem = problems.blobs(400, 12, classes)
    X = np.where(np.random.default_rng(1).random(problem.X.shape) < 0.08, problem.X + problem.codes[:, None], 0.0)
    rows = sp.csr_array(X)
    assert MemoryPlace(rows).is_sparse
    return rows, problem.y, problem.weighted().weights


@by_learner
@pytest.mark.parametrize("classes", [2, 3])
def test_rows_too_wide_for_a_matrix_give_the_same_or_are_refused(learner, classes, count_cases, monkeypatch):
    """With a limit of 0 columns the scatter of any sparse rows is never formed."""
    rows, y, weights = sparse_problem(classes)
    outcomes = {"same": 0, "refused": 0}
    offered = registry.accepted(learner, registry.all_together(learner, np.arange(classes), most=100), rows, y)
    for configuration in offered:
        case = registry.name_of(learner, configuration)
        for w in (None, weights):
            with monkeypatch.context() as patch:
                patch.setattr(choose, "_FORMED", 0)
                refused, found = "", {}
                try:
                    found = answers(learner(**configuration).fit(rows, y, w), rows)
                except UnsupportedHere as error:
                    refused = str(error)
            if refused:
                assert refused in [str(mark) for mark in unsupported.markers], f"{case}: not a marker: {refused}"
                outcomes["refused"] += 1
                continue
            wanted = answers(learner(**configuration).fit(rows, y, w), rows)
            assert_same_answers(found, {name: wanted[name] for name in found}, rtol=1e-6, case=case)
            outcomes["same"] += 1
    count_cases("rows too wide for a matrix", sum(outcomes.values()))
    assert outcomes["same"] >= 6, outcomes


def test_markers_say_everything():
    assert unsupported.markers
    for mark in unsupported.markers:
        assert all((mark.what, mark.where, mark.why, mark.use)), f"{mark!s} leaves something unsaid"
        with pytest.raises(UnsupportedHere, match="Instead: "):
            mark.refuse()


def test_a_solution_that_was_not_reached_is_not_passed_off(monkeypatch):
    """A column constant within classes but not between them: the equations have no solution."""
    rng = np.random.default_rng(0)
    codes = np.arange(200) % 5
    X = np.where(rng.random((200, 20)) < 0.06, rng.standard_normal((200, 20)), 0.0)
    X[:, 7] = codes == 0
    rows = sp.csr_array(X)
    assert MemoryPlace(rows).is_sparse
    monkeypatch.setattr(choose, "_FORMED", 0)
    for learner in registry.learners():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model = learner().fit(rows, codes)
        assert model.result_.status is Status.CONVERGED or told, f"{learner.__name__}: {model.result_}"

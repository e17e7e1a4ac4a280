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

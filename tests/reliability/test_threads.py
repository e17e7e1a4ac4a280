"""Many threads share one model, fits run side by side, and the number of threads changes nothing."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from answers import answers, assert_same_answers
from contract import registry
from reliability.checks import Cases

import discriminant as dc
from discriminant.passes.largest import Largest
from discriminant.places import memory

KIND = "fits and predictions in threads"
LARGE = problems.blobs(30_000, 12, 3, labels=["ape", "bee", "cat"])
SMALL = problems.three()
FEW = sp.csr_array(np.where(np.abs(LARGE.X) > np.quantile(np.abs(LARGE.X), 0.95), LARGE.X, 0))
by_learner = pytest.mark.parametrize("learner", registry.learners(), ids=lambda learner: learner.__name__)


@pytest.fixture(autouse=True)
def threads_as_before():
    yield
    dc.set_threads(None)


def share_out(monkeypatch):
    """Blocks and strands small enough that the large problem is shared out among threads."""
    monkeypatch.setattr(memory, "_BLOCK_BYTES", 1 << 16)
    monkeypatch.setattr(memory, "_STRAND_BYTES", 1 << 16)
    assert memory.MemoryPlace(LARGE.X)._strands(Largest(12)) > 16


@pytest.fixture(autouse=True)
def many_strands(monkeypatch):
    share_out(monkeypatch)


def configurations(learner, problem):
    offered = registry.one_at_a_time(learner, problem.classes)
    return registry.accepted(learner, offered, problem.X, problem.y)


def together(work, given):
    """`work(each)` for each of `given`, in as many threads, which start at the same moment."""
    barrier = threading.Barrier(len(given))

    def one(each):
        barrier.wait()
        return work(each)

    with ThreadPoolExecutor(len(given)) as pool:
        return list(pool.map(one, given))


@by_learner
def test_sixteen_threads_share_one_model(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for configuration in configurations(learner, SMALL):
        model = learner(**configuration).fit(SMALL.X, SMALL.y)
        pieces = [LARGE.X[i * 100 : i * 100 + 1000, :4].copy() for i in range(16)]
        wanted = [answers(model, piece) for piece in pieces]
        state = {name: np.array(value) for name, value in vars(model).items() if isinstance(value, np.ndarray)}
        for i, found in enumerate(together(partial(answers, model), pieces)):
            with cases.case(f"{registry.name_of(learner, configuration)}, thread {i}"):
                assert_same_answers(found, wanted[i], rtol=0)
        with cases.case(f"{registry.name_of(learner, configuration)}, the model"):
            assert all(np.array_equal(value, getattr(model, name)) for name, value in state.items())
    cases.finish(60)


@by_learner
def test_fits_side_by_side(learner, count_cases):
    """16 fits of different data at once, of one small problem or of one large enough to use threads itself."""
    def fitted(configuration, problem):
        return answers(learner(**configuration).fit(problem.X, SMALL.classes[problem.codes]), problem.probes)

    cases = Cases(count_cases, KIND)
    for configuration in configurations(learner, SMALL):
        data = [problems.blobs(48 + i, 4, 3, seed=i) for i in range(16)]
        wanted = [fitted(configuration, p) for p in data]
        for repetition in range(3):
            found = together(partial(fitted, configuration), data)
            for i in range(16):
                with cases.case(f"{registry.name_of(learner, configuration)}, repetition {repetition}, thread {i}"):
                    assert_same_answers(found[i], wanted[i], rtol=0)
    cases.finish(200)


@by_learner
def test_large_fits_side_by_side(learner, count_cases):
    cases = Cases(count_cases, KIND)
    dc.set_threads(3)
    for rows in (LARGE.X, np.asfortranarray(LARGE.X), FEW):
        probes = rows[:500]
        wanted = answers(learner(**registry.short(learner)).fit(rows, LARGE.y), probes)
        models = together(lambda rows: learner(**registry.short(learner)).fit(rows, LARGE.y), [rows] * 6)
        for i, found in enumerate(answers(model, probes) for model in models):
            with cases.case(f"{learner.__name__}, {type(rows).__name__}, thread {i}"):
                assert_same_answers(found, wanted, rtol=0)
    cases.finish(18)


@by_learner
def test_the_number_of_threads_does_not_change_a_bit(learner, count_cases):
    cases = Cases(count_cases, KIND)
    w = np.random.default_rng(0).integers(1, 4, len(LARGE.y)).astype(float)
    data = {"dense": LARGE.X, "float32": LARGE.X.astype(np.float32), "int8": np.round(9 * LARGE.X).astype(np.int8),
            "sparse": FEW}
    for configuration in configurations(learner, SMALL):
        for name, rows in data.items() if configuration == {} else [("dense", LARGE.X)]:
            found = []
            for threads in (1, 2, 3, 8):
                dc.set_threads(threads)
                model = learner(**configuration)
                try:
                    found.append(answers(model.fit(rows, LARGE.y, w), rows))
                except dc.errors.DegenerateError as error:
                    found.append({"predict": np.array(str(error)), "decision_function": np.zeros(1)})
            for threads, each in zip((2, 3, 8), found[1:], strict=True):
                with cases.case(f"{registry.name_of(learner, configuration)}, {name}, {threads} threads"):
                    assert_same_answers(each, found[0], rtol=0)
    cases.finish(30)


@by_learner
def test_errors_in_threads_are_the_same(learner, count_cases):
    """A bad cell anywhere gives the same message from any number of threads, and none of them is left behind."""
    cases = Cases(count_cases, KIND)
    for row in (0, 511, 14_999, 29_999):
        X = LARGE.X.copy()
        X[row, 7] = np.nan
        X[min(row + 9_000, 29_999), 2] = np.inf
        messages = set()
        for threads in (1, 2, 8):
            dc.set_threads(threads)
            before = threading.active_count()
            fresh, fitted = learner(), learner(**registry.short(learner)).fit(LARGE.X, LARGE.y)
            for call in (partial(fresh.fit, X, LARGE.y), partial(fitted.predict, X)):
                with cases.case(f"{learner.__name__}, row {row}, {threads} threads"):
                    with pytest.raises(ValueError, match="NaN|infinity") as caught:
                        call()
                    messages.add(str(caught.value))
                    assert f"(row {row}, " in str(caught.value)
                    assert threading.active_count() == before, "a thread was left behind"
        with cases.case(f"{learner.__name__}, row {row}"):
            assert len(messages) == 1, messages
    cases.finish(24)


def test_setting_threads_while_others_work(count_cases):
    cases = Cases(count_cases, KIND)
    learner = registry.learners()[0]
    wanted = answers(learner(**registry.short(learner)).fit(LARGE.X, LARGE.y), LARGE.probes)

    def work(i):
        for n in (1, 3, 2, None):
            dc.set_threads(n)
        return answers(learner(**registry.short(learner)).fit(LARGE.X, LARGE.y), LARGE.probes)

    for i, found in enumerate(together(work, range(8))):
        with cases.case(f"thread {i}"):
            assert_same_answers(found, wanted, rtol=0)
    cases.finish(8)

"""Fits before and after a fork, in spawned processes and in joblib's, and the limits that others set on threads."""

import multiprocessing
import os
import subprocess
import sys
import threading

import joblib
import numpy as np
import problems
import pytest
import sklearn
from answers import answers, assert_same_answers
from contract import registry
from reliability.checks import Cases
from sklearn.model_selection import cross_val_score
from threadpoolctl import threadpool_info, threadpool_limits

import discriminant as dc
from discriminant import settings

KIND = "fits in processes, and limits on threads"
LARGE = problems.blobs(80_000, 20, 3)  # enough to be shared out among threads
by_learner = pytest.mark.parametrize("learner", registry.learners(), ids=lambda learner: learner.__name__)
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


@pytest.fixture(autouse=True)
def threads_as_before():
    yield
    dc.set_threads(None)


def fit_and_answer(learner, X, y, probes):
    return answers(learner().fit(X, y), probes)


def answer(model, probes):
    return answers(model, probes)


def told_by(context, work, *given, seconds=60):
    """What `work` returns in a process of this start method; a process that hangs is ended and fails the case."""
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=_tell, args=(send, work, given))
    process.start()
    send.close()
    try:
        assert receive.poll(seconds), f"the process said nothing for {seconds} s"
        found = receive.recv()
    finally:
        process.join(5)
        if process.is_alive():
            process.kill()
    if isinstance(found, BaseException):
        raise found
    return found


def _tell(send, work, given):
    try:
        send.send(work(*given))
    except BaseException as error:
        send.send(error)


@by_learner
def test_a_fork_after_a_fit(learner, count_cases):
    """Children fit, and use a model of the parent; the parent goes on; all agree to the bit."""
    cases = Cases(count_cases, KIND)
    context = multiprocessing.get_context("fork")
    model = learner().fit(LARGE.X, LARGE.y)
    wanted = answers(model, LARGE.probes)
    for i in range(15):
        with cases.case(f"{learner.__name__}, fork {i}"):
            dc.set_threads((1, 2, 5)[i % 3])
            assert_same_answers(answers(learner().fit(LARGE.X, LARGE.y), LARGE.probes), wanted, rtol=0)
            found = told_by(context, fit_and_answer, learner, LARGE.X, LARGE.y, LARGE.probes)
            assert_same_answers(found, wanted, rtol=0, case="fit in the child")
            found = told_by(context, answer, model, LARGE.probes)
            assert_same_answers(found, wanted, rtol=0, case="model in the child")
    cases.finish(15)


@by_learner
def test_a_fork_while_other_threads_fit(learner, count_cases):
    """A child born in the middle of a fit inherits no lock that nobody will open."""
    cases = Cases(count_cases, KIND)
    context = multiprocessing.get_context("fork")
    wanted = answers(learner().fit(LARGE.X, LARGE.y), LARGE.probes)
    stop = threading.Event()

    def keep_fitting():
        while not stop.is_set():
            learner().fit(LARGE.X, LARGE.y)

    workers = [threading.Thread(target=keep_fitting, daemon=True) for _ in range(2)]
    for worker in workers:
        worker.start()
    try:
        for i in range(6):
            with cases.case(f"{learner.__name__}, fork {i}"):
                found = told_by(context, fit_and_answer, learner, LARGE.X, LARGE.y, LARGE.probes)
                assert_same_answers(found, wanted, rtol=0)
    finally:
        stop.set()
        for worker in workers:
            worker.join()
    cases.finish(6)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_fresh_processes(method, count_cases):
    cases = Cases(count_cases, KIND)
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        for learner in registry.learners():
            model = learner().fit(LARGE.X, LARGE.y)
            wanted = answers(model, LARGE.probes)
            jobs = [pool.apply_async(fit_and_answer, (learner, LARGE.X, LARGE.y, LARGE.probes)) for _ in range(2)]
            jobs += [pool.apply_async(answer, (model, LARGE.probes))]
            for i, job in enumerate(jobs):
                with cases.case(f"{learner.__name__}, {method}, job {i}"):
                    assert_same_answers(job.get(120), wanted, rtol=0)
        pool.terminate()
        pool.join()
    cases.finish(6)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_cross_validation_in_two_jobs(backend, count_cases):
    cases = Cases(count_cases, KIND)
    for learner in registry.learners():
        with cases.case(f"{learner.__name__}, {backend}"), joblib.parallel_backend(backend, n_jobs=2):
            one = cross_val_score(learner(), LARGE.X[:3000], LARGE.y[:3000], cv=4, n_jobs=1)
            two = cross_val_score(learner(), LARGE.X[:3000], LARGE.y[:3000], cv=4, n_jobs=2)
            assert np.array_equal(one, two)
    cases.finish(3)
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)


def threads_now():
    return settings.threads()


def threads_during_a_fit():
    """The most threads that were alive while a fit ran."""
    before, most, done = threading.active_count(), [0], threading.Event()

    def watch():
        while not done.wait(0.0005):
            most[0] = max(most[0], threading.active_count())

    watcher = threading.Thread(target=watch)
    watcher.start()
    learner = registry.learners()[0]
    for _ in range(5):
        learner().fit(LARGE.X, LARGE.y)
    done.set()
    watcher.join()
    return max(0, most[0] - before - 1)


@pytest.mark.parametrize("inner", [1, 2, 3])
def test_the_inner_limit_of_joblib(inner, count_cases):
    with joblib.parallel_config("loky", n_jobs=2, inner_max_num_threads=inner):
        found = joblib.Parallel()(joblib.delayed(threads_now)() for _ in range(4))
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)
    assert all(1 <= threads <= inner for threads in found), found
    count_cases(KIND, 4)


def test_threadpoolctl_limits_and_gives_back(count_cases):
    cases = Cases(count_cases, KIND)
    for set_to in (None, 1, 2, 8):
        dc.set_threads(set_to)
        before = settings.threads()
        for limit in (1, 2, 3, 16):
            with cases.case(f"set_threads({set_to}), limit {limit}"):
                with threadpool_limits(limit):
                    assert settings.threads() == min(before, limit)
                    with threadpool_limits(1):
                        assert settings.threads() == 1
                    assert settings.threads() == min(before, limit)
                assert settings.threads() == before, "the limit stayed behind"
            with cases.case(f"set_threads({set_to}), limit {limit} for BLAS only"), threadpool_limits(limit, "blas"):
                assert settings.threads() == before
            with cases.case(f"set_threads({set_to}), limit {limit} for this library only"):
                with threadpool_limits({"discriminant": limit}):
                    assert settings.threads() == min(before, limit)
                assert settings.threads() == before
        for other in (1, 2, 5):
            with cases.case(f"set_threads({set_to}), then {other} inside a limit"):
                with threadpool_limits(2):
                    dc.set_threads(other)
                    assert settings.threads() == min(other, 2)
                assert settings.threads() == other, "the limit stayed behind"
                dc.set_threads(set_to)
    assert any(info["user_api"] == "discriminant" for info in threadpool_info())
    cases.finish(48)


def test_no_more_threads_than_allowed_are_started(count_cases):
    for n in (1, 2, 4):
        dc.set_threads(n)
        assert threads_during_a_fit() <= n
        count_cases(KIND)
    dc.set_threads(8)
    with threadpool_limits(2):
        assert threads_during_a_fit() <= 2
    count_cases(KIND)


def run_python(text, **environment):
    given = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"} | environment
    done = subprocess.run([sys.executable, "-c", text], env=given, capture_output=True, text=True, timeout=120,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("value, wanted", [("1", 1), ("3", 3), ("2,1", 2), (" 4 ", 4), ("", None), ("0", None),
                                           ("many", None), ("-1", None)])
def test_the_environments_limit(value, wanted, count_cases):
    text = ("import discriminant as dc; from discriminant import settings; print(settings.threads());"
            "dc.set_threads(64); print(settings.threads())")
    free, capped = map(int, run_python(text, OMP_NUM_THREADS=value).split())
    assert free == (joblib.cpu_count() if wanted is None else min(wanted, joblib.cpu_count()))
    assert capped == (64 if wanted is None else wanted)
    count_cases(KIND)


def test_affinity_and_lokys_limit(count_cases):
    text = "from discriminant import settings; print(settings.threads())"
    one = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
    assert run_python(one + text) == "1"
    assert run_python(text, LOKY_MAX_CPU_COUNT="1") == "1"
    count_cases(KIND, 2)


def test_the_instruction_set_can_be_forced(count_cases):
    text = "from discriminant import _core; print(_core.isa(), *_core.runnable_isas())"
    best, *runnable = run_python(text).split()
    assert best in runnable
    for isa in runnable:
        assert run_python(text, DISCRIMINANT_ISA=isa).split()[0] == isa
        count_cases(KIND)
    warned = ("import warnings\nwith warnings.catch_warnings(record=True) as told:\n"
              "    warnings.simplefilter('always')\n    import discriminant\nprint(*(each.message for each in told))")
    assert "DISCRIMINANT_ISA=abacus" in run_python(warned, DISCRIMINANT_ISA="abacus")


def test_models_pass_between_versions_of_pickle_and_processes(count_cases):
    """cloudpickle and joblib's own dumps, as well as a model trained under scikit-learn's other settings."""
    for learner in registry.learners():
        with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
            model = learner().fit(LARGE.X, LARGE.y)
        wanted = answers(model, LARGE.probes)
        with joblib.parallel_config("loky", n_jobs=2):
            for found in joblib.Parallel()(joblib.delayed(answer)(model, LARGE.probes) for _ in range(3)):
                assert_same_answers(found, wanted, rtol=0)
                count_cases(KIND)
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)

"""Ctrl-C in the middle of long fits: answered at once, and the model is still what it was."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from contract import registry

KIND = "Ctrl-C during a long fit"
TESTS = Path(__file__).parents[1]

# A process of its own: signals reach the main thread of a process, and this one has tests to run.
PROGRAM = """
    import json, os, signal, sys, threading, time, warnings
    sys.path.insert(0, {tests!r})
    import numpy as np
    import discriminant as dc
    import problems
    from answers import answers, assert_same_answers

    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", "Perceptron: MAX_ITERATIONS")
    threads, moments = {threads}, {moments}
    dc.set_threads(threads)
    rng = np.random.default_rng(0)
    small = problems.three()
    long = {{
        "tall": rng.standard_normal((300_000, 40)),
        "broad": rng.standard_normal((20_000, 400)),
        "integers": rng.integers(-9, 9, (300_000, 40)).astype(np.int8),
        "Fortran": np.asfortranarray(rng.standard_normal((200_000, 40))),
    }}
    told = []
    for name in {kinds}:
        X = long[name]
        y = small.classes[rng.integers(0, 3, len(X))]
        for settings in {configurations}:
            model = dc.{learner}(**settings)
            model.fit(small.X, small.y)
            wanted = answers(model, small.probes)
            started = time.perf_counter()
            dc.{learner}(**settings).fit(X, y)
            whole = time.perf_counter() - started
            for k in range(moments):
                at = whole * (k + 0.5) / moments
                sent = []

                def strike():
                    time.sleep(at)
                    sent.append(time.perf_counter())
                    os.kill(os.getpid(), signal.SIGINT)

                hand = threading.Thread(target=strike)
                hand.start()
                interrupted, completed = False, 0
                try:
                    for _ in range(1000):
                        model.fit(X, y)
                        completed += 1
                        if sent:
                            break
                    time.sleep(0.2)
                except KeyboardInterrupt:
                    answered = time.perf_counter()
                    interrupted = True
                hand.join()
                left = threading.active_count() - 1
                # Whole either way: as it was, or as a fit that was through before the signal left it.
                usable = model.n_features_in_ == (X.shape[1] if completed else 4) or completed == 0
                if model.n_features_in_ == 4:
                    assert_same_answers(answers(model, small.probes), wanted, rtol=0)
                else:
                    usable = usable and len(model.predict(X[:3])) == 3
                wait = answered - sent[0] if interrupted else None
                told.append([name, str(settings), at / whole, wait, left, usable])
                model.fit(small.X, small.y)
                assert_same_answers(answers(model, small.probes), wanted, rtol=0)
    print(json.dumps(told))
"""


def interrupt(learner, kinds, configurations, threads, moments):
    text = textwrap.dedent(PROGRAM).format(tests=str(TESTS), learner=learner.__name__, kinds=list(kinds),
                                           configurations=configurations, threads=threads, moments=moments)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def long_configurations(learner):
    """The default, and where there is a choice among many, that."""
    table = registry.choices(learner, ["ape", "bee", "cat"], data_free=True)
    many = [name for name, values in table.items() if any(registry.same_value(value, "loo") for value in values)]
    return [registry.short(learner), *({name: "loo"} for name in many)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("learner", registry.learners(), ids=lambda learner: learner.__name__)
def test_answered_at_once_and_the_model_is_as_it_was(learner, threads, count_cases, measured, pytestconfig):
    told = interrupt(learner, ["tall", "Fortran"] if threads == 1 else ["broad", "integers"],
                     long_configurations(learner), threads, 40 if pytestconfig.getoption("--thorough") else 4)
    waits = sorted(1e3 * wait for *_, wait, _, _ in told if wait is not None)
    measured(f"Ctrl-C, {learner.__name__}, {threads} threads: answered in {waits[len(waits) // 2]:.0f} ms, at most "
             f"{waits[-1]:.0f} ms, over {len(waits)} fits")
    for name, settings, at, wait, left, usable in told:
        case = f"{learner.__name__}, {name}, {settings}, at {at:.2f} of the fit"
        assert wait is not None, f"{case}: never interrupted"
        assert wait < 1.0, f"{case}: answered after {wait:.2f} s"
        assert left == 0, f"{case}: {left} threads were left behind"
        assert usable, f"{case}: the model forgot what it was fitted on"
        count_cases(KIND)

"""A battery that cannot fail proves nothing: something is broken on purpose, and the battery must notice."""

import numpy as np
import problems
import pytest
from contract import (
    arguments,
    registry,
    test_blocks,
    test_import_order,
    test_passes,
    test_places,
    test_twins,
)
from reliability import (
    test_bad_input,
    test_degenerate,
    test_interrupt,
    test_layouts,
    test_processes,
    test_scale,
    test_threads,
)
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from discriminant import door, frames, parameters, settings
from discriminant.blocks import dense
from discriminant.blocks.dense import DenseBlock
from discriminant.blocks.origin import Origin
from discriminant.blocks.sparse import SparseBlock
from discriminant.learners.linear import Learner, LinearLearner
from discriminant.passes.a_pass import Pass
from discriminant.passes.largest import Largest
from discriminant.passes.moments import Moments, MomentSums
from discriminant.places.memory import MemoryPlace

LEARNERS = {learner.__name__: learner for learner in registry.learners()}
FISHER, GAUSSIAN, SQUARES = (LEARNERS[name] for name in
                             ("FisherDiscriminant", "GaussianDiscriminant", "LeastSquaresClassifier"))


def nothing(*args):
    """In place of the count of cases."""


def caught(battery, *given, match=None):
    """The battery raises an AssertionError, as a test that fails does."""
    with pytest.raises((AssertionError, pytest.fail.Exception), match=match):
        battery(*given)


@pytest.fixture
def gram_is_wrong_by_a_millionth(monkeypatch):
    right = DenseBlock.add_gram

    def wrong(self, origin, totals, sums, scatter, rows_of):
        right(self, origin, totals, sums, scatter, rows_of)
        scatter[0, 0] *= 1 + 1e-6

    monkeypatch.setattr(DenseBlock, "add_gram", wrong)


def test_a_wrong_gram(gram_is_wrong_by_a_millionth):
    for learner in (FISHER, GAUSSIAN):  # least squares reads the residuals and mends what a wrong matrix did
        caught(test_twins.check, learner, {}, problems.three(), match="entries differ")
    caught(test_passes.test_it_finds_what_it_should, MomentSums, nothing, match="scatter")
    caught(test_passes.test_dense_is_sparse, MomentSums, nothing, match="scatter")


def test_a_wrong_product_of_sparse_rows(monkeypatch):
    right = SparseBlock.add_gram

    def wrong(self, origin, totals, sums, scatter, rows_of):
        right(self, origin, totals, sums, scatter, rows_of)
        sums[0, 0] += 1e-6

    monkeypatch.setattr(SparseBlock, "add_gram", wrong)
    caught(test_layouts.test_sparse_oddities, FISHER, nothing, match="entries differ")
    caught(test_passes.test_dense_is_sparse, MomentSums, nothing, match="mean")
    X, codes, w = test_blocks.cells()
    made = test_blocks.MAKERS["SparseBlock"]["float64"](X)
    pair = SparseBlock(made, 0, codes, w), DenseBlock(X, 0, codes, w)
    caught(test_blocks.test_a_block_says_what_the_dense_one_says, pair, "add_gram", nothing, match="sums")


def test_cells_that_nobody_checks(monkeypatch):
    monkeypatch.setattr(Moments, "is_finite", lambda self: True)
    monkeypatch.setattr(DenseBlock, "first_not_finite", lambda self: None)
    caught(test_bad_input.test_rows_for_fit, FISHER, nothing, match="nan at")
    caught(test_bad_input.test_rows_for_each_method, SQUARES, nothing)


def test_errors_that_do_not_say_what_came(monkeypatch):
    monkeypatch.setattr(parameters, "check", lambda owner, table, given: None)
    for learner in (FISHER, SQUARES):
        caught(test_bad_input.test_parameters_out_of_their_ranges, learner, nothing)


def test_a_range_that_lets_nan_in(monkeypatch):
    right = parameters.Real.accepts
    monkeypatch.setattr(parameters.Real, "accepts", lambda self, value: value != value or right(self, value))
    caught(test_bad_input.test_parameters_out_of_their_ranges, SQUARES, nothing, match="NaN")


def labels_of(texts):
    classes, codes = np.unique(texts, return_inverse=True)
    return classes, codes.reshape(-1).astype(np.int32)


def test_labels_that_nobody_checks(monkeypatch):
    monkeypatch.setattr(door, "encode", lambda y: labels_of(np.asarray(y).astype(str)))
    caught(test_bad_input.test_labels, FISHER, nothing)


def test_frames_read_in_single_precision(monkeypatch):
    right = frames.as_array
    monkeypatch.setattr(frames, "as_array", lambda X, name: right(X, name).astype(np.float32))
    caught(test_layouts.test_frames, FISHER, nothing)


def test_rows_taken_as_they_lie(monkeypatch):
    """Any layout is called ready: what is not contiguous, aligned or native reaches the kernels as it is."""
    monkeypatch.setattr(DenseBlock, "_ready", staticmethod(lambda X: np.ascontiguousarray(X).astype(np.float32)))
    caught(test_layouts.test_arrays, FISHER, nothing)
    monkeypatch.undo()
    monkeypatch.setattr(dense, "is_ready", lambda X: True)
    caught(test_layouts.test_arrays, SQUARES, nothing)


def test_a_model_that_changes_the_rows(monkeypatch):
    right = LinearLearner.predict

    def wrong(self, X):
        X[0] += 1
        return right(self, X)

    monkeypatch.setattr(LinearLearner, "predict", wrong)
    caught(test_layouts.test_data_are_never_changed, SQUARES, nothing)


def test_columns_without_units(monkeypatch):
    right = Origin.of.__func__
    monkeypatch.setattr(Origin, "of", classmethod(lambda cls, centre, largest, dtype: right(
        cls, centre, np.ones_like(largest), dtype)))
    caught(test_scale.test_each_column_in_a_unit_of_its_own, FISHER, "tall", nothing)
    caught(test_scale.test_all_columns_in_another_unit, GAUSSIAN, "tall", nothing)


def test_sums_about_zero(monkeypatch):
    right = Origin.of.__func__
    monkeypatch.setattr(Origin, "of", classmethod(lambda cls, centre, largest, dtype: right(
        cls, np.zeros_like(centre), largest, dtype)))
    caught(test_scale.test_means_far_larger_than_deviations, FISHER, "tall", nothing)


def test_weights_that_are_forgotten(monkeypatch):
    right = MemoryPlace.__init__
    monkeypatch.setattr(MemoryPlace, "__init__", lambda self, X, codes=None, weights=None: right(self, X, codes, None))
    caught(test_degenerate.test_repeated_rows_are_weights, FISHER, nothing)
    caught(test_degenerate.test_rows_of_weight_zero_are_not_there, SQUARES, nothing)


def test_one_class_let_in(monkeypatch):
    monkeypatch.setattr(door, "refuse_one_class", lambda training, name: None)
    caught(test_degenerate.test_one_class_is_refused, FISHER, nothing)


def test_noise_taken_for_a_direction(monkeypatch):
    right = MomentSums.finish

    def wrong(self, value):
        moments = right(self, value)
        moments.scatter.flat[:: moments.scatter.shape[-1] + 1] += 1e-3
        return moments

    monkeypatch.setattr(MomentSums, "finish", wrong)
    caught(test_degenerate.test_columns_that_say_nothing_new_change_nothing, FISHER, nothing)


def test_strands_cut_by_the_number_of_threads(monkeypatch):
    test_threads.share_out(monkeypatch)
    right = MemoryPlace._strands
    monkeypatch.setattr(MemoryPlace, "_strands", lambda self, task: min(right(self, task), 3 * settings.threads() + 1))
    caught(test_threads.test_the_number_of_threads_does_not_change_a_bit, FISHER, nothing)


def test_a_model_that_remembers_the_last_rows(monkeypatch):
    """What is kept on the model between two lines of a prediction is another thread's by then."""
    right = LinearLearner._scored

    def wrong(self, X, *, winners):
        self._last = X
        total = 0.0
        for _ in range(300):  # long enough for the other threads to come in between
            total += float(np.sum(X))
        return right(self, self._last, winners=winners)

    monkeypatch.setattr(LinearLearner, "_scored", wrong)
    caught(test_threads.test_sixteen_threads_share_one_model, SQUARES, nothing)


def test_limits_that_nobody_keeps(monkeypatch):
    monkeypatch.setattr(settings, "threads", lambda: 5)
    caught(test_processes.test_threadpoolctl_limits_and_gives_back, nothing)
    caught(test_processes.test_no_more_threads_than_allowed_are_started, nothing)


def test_an_interrupt_that_waits(monkeypatch, pytestconfig):
    slow = "signal.signal(signal.SIGINT, lambda *at: (time.sleep(1.2), signal.default_int_handler(*at)))"
    monkeypatch.setattr(test_interrupt, "PROGRAM", test_interrupt.PROGRAM.replace(
        "signal.signal(signal.SIGINT, signal.default_int_handler)", slow))
    monkeypatch.setattr(test_interrupt, "long_configurations", lambda learner: [{}])
    caught(test_interrupt.test_answered_at_once_and_the_model_is_as_it_was, SQUARES, 1, nothing, nothing,
           pytestconfig, match="answered after")


def test_a_pass_that_is_not_the_sum_of_its_parts(monkeypatch):
    monkeypatch.setattr(Largest, "merge", lambda self, into, other: into)
    caught(test_passes.test_merge_is_the_whole, Largest, nothing)
    monkeypatch.undo()
    right = MomentSums.merge

    def wrong(self, into, other):
        into.totals += 1e-7
        return right(self, into, other)

    monkeypatch.setattr(MomentSums, "merge", wrong)
    caught(test_passes.test_merge_is_the_whole, MomentSums, nothing)
    caught(test_passes.test_no_rows_add_nothing, MomentSums, nothing)


def test_a_pass_without_arguments(monkeypatch):
    class Unheard(Pass):
        def begin(self): ...

        def block(self, block, into): ...

        def merge(self, into, other): ...

    caught(arguments.given, Unheard, test_passes.rows(), match="add an entry 'Unheard' to ARGUMENTS in .*arguments.py")
    monkeypatch.setattr(registry, "passes", lambda: [Unheard])
    caught(test_passes.test_every_pass_has_arguments_and_every_argument_a_pass, match="Unheard.*arguments.py")


def test_a_place_that_loses_a_row(monkeypatch):
    right = MemoryPlace._block
    monkeypatch.setattr(MemoryPlace, "_block", lambda self, start, stop: right(self, start, max(start, stop - 1)))
    make = test_places.MAKERS["MemoryPlace"]["dense"]
    with pytest.MonkeyPatch.context() as patch:
        caught(test_places.test_every_row_is_handed_out_once_and_in_order, make, 500, 1.0, patch)


def test_an_import_that_goes_up(monkeypatch):
    up = [*test_import_order.OWN, ("discriminant.passes.scores", "discriminant.learners.linear", "passes/scores.py:1")]
    monkeypatch.setattr(test_import_order, "OWN", up)
    caught(test_import_order.test_imports_go_one_way, match="scores.py:1 imports discriminant.learners.linear")
    caught(test_import_order.test_there_are_no_cycles, match="a cycle")


@pytest.mark.filterwarnings("ignore")
def test_an_estimator_out_of_line(monkeypatch):
    right = LinearLearner.predict
    monkeypatch.setattr(LinearLearner, "predict", lambda self, X: right(self, X).tolist())
    with pytest.raises((AssertionError, AttributeError)):
        check_estimator(SQUARES())
    monkeypatch.undo()
    monkeypatch.setattr(Learner, "__sklearn_is_fitted__", lambda self: False)
    with pytest.raises((AssertionError, NotFittedError)):
        check_estimator(SQUARES())

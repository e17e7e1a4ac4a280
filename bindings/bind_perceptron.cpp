#include <memory>
#include <optional>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "bindings.hpp"
#include "discriminant/kernels.hpp"

namespace {

using namespace discriminant;

Walked run(const PerceptronJob<DenseRows<float>>& job) { return active().perceptron_dense_f32(job); }
Walked run(const PerceptronJob<DenseRows<double>>& job) { return active().perceptron_dense_f64(job); }
Walked run(const PerceptronJob<SparseRows<float>>& job) { return active().perceptron_sparse_f32(job); }
Walked run(const PerceptronJob<SparseRows<double>>& job) { return active().perceptron_sparse_f64(job); }
void run(const LengthsJob<DenseRows<float>>& job) { active().lengths_dense_f32(job); }
void run(const LengthsJob<DenseRows<double>>& job) { active().lengths_dense_f64(job); }
void run(const LengthsJob<SparseRows<float>>& job) { active().lengths_sparse_f32(job); }
void run(const LengthsJob<SparseRows<double>>& job) { active().lengths_sparse_f64(job); }

template <class T> struct Dense {
    using Rows = DenseRows<T>;
    Matrix<const T> cells;

    std::int64_t count() const { return cells.shape(0); }
    Rows view() const { return {aligned(cells), (std::int64_t)cells.shape(1), (std::int64_t)cells.shape(1)}; }
};

// Checked once, when it is made: a start or a column could lead outside the arrays.
template <class T> struct Sparse {
    using Rows = SparseRows<T>;
    Column<const T> cells;
    Column<const std::int32_t> columns;
    Column<const std::int64_t> starts;
    std::int64_t d;

    Sparse(Column<const T> cells, Column<const std::int32_t> columns, Column<const std::int64_t> starts, std::int64_t d)
        : cells(cells), columns(columns), starts(starts), d(d) {
        const std::int64_t size = cells.shape(0), rows = (std::int64_t)starts.shape(0) - 1;
        const std::int64_t* const start = aligned(starts);
        const std::int32_t* const column = aligned(columns);
        require((std::int64_t)columns.shape(0) == size, "columns: one for each cell");
        require(rows >= 0 && start[0] >= 0 && start[rows] <= size, "starts: within the cells");
        for (std::int64_t i = 0; i < rows; ++i) require(start[i] <= start[i + 1], "starts: must not fall");
        for (std::int64_t j = start[0]; j < start[rows]; ++j)
            require(column[j] >= 0 && column[j] < d, "columns: a column is out of range");
    }
    std::int64_t count() const { return (std::int64_t)starts.shape(0) - 1; }
    Rows view() const { return {aligned(cells), aligned(columns), aligned(starts), d}; }
};

// The weights of a walk and what it counts; its buffers are NumPy's.
struct State {
    Matrix<double> weights;
    Column<double> bias;
    Matrix<float> shadow;
    Column<std::int64_t> mistakes;
    std::optional<Matrix<double>> moved;
    std::optional<Column<double>> moved_bias;
    double presented;
    std::optional<Column<std::int64_t>> runs;
    std::optional<Matrix<double>> longest;
    std::optional<Column<double>> longest_bias;

    std::int64_t functions() const { return weights.shape(0); }

    void check(std::int64_t d, bool together) const {
        const auto like_weights = [&](const auto& array) {
            return (std::int64_t)array.shape(0) == functions() && (std::int64_t)array.shape(1) == padded(d);
        };
        require(functions() >= (together ? 2 : 1), "weights: one function, or several together");
        require(like_weights(weights) && like_weights(shadow), "weights, shadow: functions x padded(d)");
        require((std::int64_t)bias.shape(0) == functions(), "bias: one for each function");
        require((std::int64_t)mistakes.shape(0) == (together ? 1 : functions()), "mistakes: for each that learns apart");
        require(!moved == !moved_bias && (!moved || (like_weights(*moved) &&
                (std::int64_t)moved_bias->shape(0) == functions())), "moved, moved_bias: like weights and bias");
        require(!runs == !longest && !runs == !longest_bias && (!runs || (like_weights(*longest) &&
                (std::int64_t)longest_bias->shape(0) == functions() && runs->shape(0) == 2)),
                "runs, longest, longest_bias: all or none");
        require(!runs || together || functions() == 1, "runs: of one function, or of functions together");
    }

    PerceptronState view() const {
        return {functions(), aligned(weights), aligned(bias), aligned(shadow), aligned(mistakes),
                moved ? aligned(*moved) : nullptr, moved_bias ? aligned(*moved_bias) : nullptr, presented,
                runs ? aligned(*runs) : nullptr, longest ? aligned(*longest) : nullptr,
                longest_bias ? aligned(*longest_bias) : nullptr};
    }
};

struct Trace {
    Matrix<double> nets;
    Column<std::int8_t> changed;
    Matrix<double> after;
};

// What a walk reads of the rows beside their cells.
struct Labels {
    Column<const std::int32_t> codes;
    std::optional<Column<const double>> steps;
    Column<const double> lengths;
    Column<const std::int32_t> positives;
};

using Order = std::optional<Column<const std::int64_t>>;

template <class Given>
std::pair<std::int64_t, bool> walk(const Given& rows, const Labels& labels, const Order& order, std::int64_t first, std::int64_t n,
                  const PerceptronRule& rule, const State& state, const Trace* trace) {
    const auto view = rows.view();
    const std::int64_t all = rows.count(), d = view.d, functions = state.functions();
    state.check(d, rule.together);
    require(first >= 0 && n >= 0 && first + n <= (order ? (std::int64_t)order->shape(0) : all), "first, n: within the rows");
    require((std::int64_t)labels.codes.shape(0) == all, "codes: one for each row");
    require(!labels.steps || (std::int64_t)labels.steps->shape(0) == all, "steps: one for each row");
    require((std::int64_t)labels.lengths.shape(0) == all, "lengths: one for each row");
    require((std::int64_t)labels.positives.shape(0) == functions, "positives: one for each function");
    require(rule.threshold >= 0 && (rule.threshold == 0 || (rule.zero == NetOfZero::undecided && !rule.together)),
            "threshold: >= 0, and 0 unless the net of zero is undecided and functions learn apart");
    require(!rule.stop_when_right || rule.together || functions == 1, "stop_when_right: of one function, or together");
    require(!trace || ((std::int64_t)trace->nets.shape(0) == n && (std::int64_t)trace->nets.shape(1) == functions &&
                       (std::int64_t)trace->changed.shape(0) == n && (std::int64_t)trace->after.shape(0) == n &&
                       (std::int64_t)trace->after.shape(1) == functions * (d + 1)),
            "trace: for each presentation");
    std::unique_ptr<double[]> workspace(new double[6 * functions]);
    const PerceptronJob<typename Given::Rows> job{
        view, all, first, n, order ? aligned(*order) : nullptr, aligned(labels.codes),
        labels.steps ? aligned(*labels.steps) : nullptr, aligned(labels.lengths), aligned(labels.positives), rule,
        state.view(), trace ? aligned(trace->nets) : nullptr, trace ? aligned(trace->changed) : nullptr,
        trace ? aligned(trace->after) : nullptr, workspace.get()};
    nb::gil_scoped_release released;
    bool within = true;  // not an error at the first: this way the loops have no branch
    for (std::int64_t p = first; order && p < first + n; ++p) within &= job.order[p] >= 0 && job.order[p] < all;
    require(within, "order: a row is out of range");
    for (std::int64_t i = 0; rule.together && i < all; ++i) within &= job.codes[i] >= 0 && job.codes[i] < functions;
    require(within, "codes: a class is out of range");
    const Walked walked = run(job);
    return {walked.presented, walked.all_right};
}

template <class Given> void measure(const Given& rows, const Column<double>& out) {
    require((std::int64_t)out.shape(0) == rows.count(), "lengths: one for each row");
    const LengthsJob<typename Given::Rows> job{rows.view(), rows.count(), aligned(out)};
    nb::gil_scoped_release released;
    run(job);
}

template <class T> void bind(nb::module_& module, const char* sparse) {
    module.def("perceptron", [](Matrix<const T> rows, const Labels& labels, Order order, std::int64_t first,
                                std::int64_t n, const PerceptronRule& rule, const State& state, const Trace* trace) {
        return walk(Dense<T>{rows}, labels, order, first, n, rule, state, trace);
    }, nb::arg("rows").noconvert(), nb::arg("labels"), nb::arg("order").noconvert().none(), nb::arg("first"),
       nb::arg("n"), nb::arg("rule"), nb::arg("state"), nb::arg("trace").none());
    module.def("lengths", [](Matrix<const T> rows, Column<double> out) { measure(Dense<T>{rows}, out); },
               nb::arg("rows").noconvert(), nb::arg("out").noconvert());

    nb::class_<Sparse<T>>(module, sparse)
        .def(nb::init<Column<const T>, Column<const std::int32_t>, Column<const std::int64_t>, std::int64_t>(),
             nb::arg("cells").noconvert(), nb::arg("columns").noconvert(), nb::arg("starts").noconvert(), nb::arg("d"));
    module.def("perceptron", &walk<Sparse<T>>, nb::arg("rows"), nb::arg("labels"), nb::arg("order").noconvert().none(),
               nb::arg("first"), nb::arg("n"), nb::arg("rule"), nb::arg("state"), nb::arg("trace").none());
    module.def("lengths", &measure<Sparse<T>>, nb::arg("rows"), nb::arg("out").noconvert());
}

}  // namespace

void bind_perceptron(nb::module_& module) {
    nb::enum_<NetOfZero>(module, "NetOfZero")
        .value("undecided", NetOfZero::undecided)
        .value("positive", NetOfZero::positive)
        .value("negative", NetOfZero::negative);
    nb::class_<PerceptronRule>(module, "PerceptronRule")
        .def("__init__", [](PerceptronRule* self, double rate, double threshold, NetOfZero zero, bool intercept,
                            bool together, bool stop_when_right) {
            new (self) PerceptronRule{rate, threshold, zero, intercept, together, stop_when_right};
        }, nb::kw_only(), nb::arg("rate"), nb::arg("threshold"), nb::arg("zero"), nb::arg("intercept"),
           nb::arg("together"), nb::arg("stop_when_right"))
        .def_ro("stop_when_right", &PerceptronRule::stop_when_right);
    nb::class_<Labels>(module, "PerceptronLabels")
        .def("__init__", [](Labels* self, Column<const std::int32_t> codes, std::optional<Column<const double>> steps,
                            Column<const double> lengths, Column<const std::int32_t> positives) {
            new (self) Labels{codes, steps, lengths, positives};
        }, nb::kw_only(), nb::arg("codes").noconvert(), nb::arg("steps").noconvert().none(),
           nb::arg("lengths").noconvert(), nb::arg("positives").noconvert());
    nb::class_<State>(module, "PerceptronState")
        .def("__init__", [](State* self, Matrix<double> weights, Column<double> bias, Matrix<float> shadow,
                            Column<std::int64_t> mistakes, std::optional<Matrix<double>> moved,
                            std::optional<Column<double>> moved_bias, std::optional<Column<std::int64_t>> runs,
                            std::optional<Matrix<double>> longest, std::optional<Column<double>> longest_bias) {
            new (self) State{weights, bias, shadow, mistakes, moved, moved_bias, 0.0, runs, longest, longest_bias};
        }, nb::kw_only(), nb::arg("weights").noconvert(), nb::arg("bias").noconvert(), nb::arg("shadow").noconvert(),
           nb::arg("mistakes").noconvert(), nb::arg("moved").noconvert().none(),
           nb::arg("moved_bias").noconvert().none(), nb::arg("runs").noconvert().none(),
           nb::arg("longest").noconvert().none(), nb::arg("longest_bias").noconvert().none())
        .def_rw("presented", &State::presented);
    nb::class_<Trace>(module, "PerceptronTrace")
        .def("__init__", [](Trace* self, Matrix<double> nets, Column<std::int8_t> changed, Matrix<double> after) {
            new (self) Trace{nets, changed, after};
        }, nb::kw_only(), nb::arg("nets").noconvert(), nb::arg("changed").noconvert(), nb::arg("after").noconvert());
    bind<float>(module, "SparseRowsFloat32");
    bind<double>(module, "SparseRowsFloat64");
}

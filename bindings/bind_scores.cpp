#include <memory>
#include <optional>
#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "discriminant/kernels.hpp"

namespace {

using namespace discriminant;

std::int64_t run(const ScoresJob<float>& job) { return active().scores_f32(job); }
std::int64_t run(const ScoresJob<double>& job) { return active().scores_f64(job); }

template <class T>
std::int64_t scores(Matrix<const T> rows, Matrix<const double> weights, Column<const double> bias,
                    std::int64_t functions, std::optional<Matrix<double>> out,
                    std::optional<Column<std::int32_t>> winners) {
    const std::int64_t n = rows.shape(0), d = rows.shape(1);
    const std::int64_t wide = (functions + 15) / 16 * 16;
    require(functions >= 1, "functions: at least one");
    const bool narrow = functions <= scores_narrow;
    require((std::int64_t)weights.shape(0) == (narrow ? functions : d) &&
                (std::int64_t)weights.shape(1) == (narrow ? d : wide),
            "weights: functions x d, or d x padded(functions) when there are many");
    require((std::int64_t)bias.shape(0) == wide, "bias: padded(functions)");
    require(!out || ((std::int64_t)out->shape(0) == n && (std::int64_t)out->shape(1) == functions),
            "scores: n x functions");
    require(!winners || (std::int64_t)winners->shape(0) == n, "winners: one for each row");
    std::unique_ptr<double[]> workspace(new double[scores_workspace(d, functions)]);
    const ScoresJob<T> job{aligned(rows),
                           n,
                           d,
                           d,
                           aligned(weights),
                           aligned(bias),
                           functions,
                           out ? aligned(*out) : nullptr,
                           winners ? aligned(*winners) : nullptr,
                           workspace.get()};
    nb::gil_scoped_release released;
    return run(job);
}

template <class T> void bind(nb::module_& module) {
    module.def("scores", &scores<T>, nb::arg("rows").noconvert(), nb::arg("weights").noconvert(),
               nb::arg("bias").noconvert(), nb::arg("functions"), nb::arg("scores").noconvert().none(),
               nb::arg("winners").noconvert().none());
}

}  // namespace

void bind_scores(nb::module_& module) {
    bind<float>(module);
    bind<double>(module);
}

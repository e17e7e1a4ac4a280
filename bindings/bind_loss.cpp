#include <cmath>
#include <memory>
#include <optional>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "bindings.hpp"
#include "discriminant/kernels.hpp"

namespace {

using namespace discriminant;

LossSum run(const LossJob<float>& job) { return active().loss_f32(job); }
LossSum run(const LossJob<double>& job) { return active().loss_f64(job); }

template <class T>
std::pair<double, std::int64_t> loss(Matrix<const T> rows, Column<const std::int32_t> codes,
                                     std::optional<Column<const double>> row_weights, Matrix<const double> weights,
                                     Column<const double> bias, Loss kind, double mu, Matrix<double> gradient,
                                     Column<double> bias_gradient, std::optional<Matrix<double>> scores,
                                     std::optional<Column<double>> curvature) {
    const std::int64_t n = rows.shape(0), d = rows.shape(1), functions = bias_gradient.shape(0);
    const bool narrow = functions <= scores_narrow, softmax = kind == Loss::softmax;
    require(functions >= 1 && softmax == (functions > 1), "bias_gradient: several functions for softmax, else one");
    require((std::int64_t)codes.shape(0) == n, "codes: one for each row");
    require(!row_weights || (std::int64_t)row_weights->shape(0) == n, "row_weights: one for each row");
    require((std::int64_t)weights.shape(0) == (narrow ? functions : d) &&
                (std::int64_t)weights.shape(1) == (narrow ? d : padded(functions)),
            "weights: functions x d, or d x padded(functions) when there are many");
    require((std::int64_t)bias.shape(0) == padded(functions), "bias: padded(functions)");
    require(kind != Loss::huber_hinge || (mu > 0 && std::isfinite(mu)), "mu: above 0 and finite");
    require((std::int64_t)gradient.shape(0) == functions && (std::int64_t)gradient.shape(1) == padded(d),
            "gradient: functions x padded(d)");
    require(!scores || ((std::int64_t)scores->shape(0) == n && (std::int64_t)scores->shape(1) == functions),
            "scores: n x functions");
    require(!curvature || (!softmax && (std::int64_t)curvature->shape(0) == n),
            "curvature: one for each row, of one function");
    std::unique_ptr<double[]> workspace(new double[loss_workspace(d, functions)]);
    const LossJob<T> job{aligned(rows),
                         n,
                         d,
                         d,
                         aligned(codes),
                         row_weights ? aligned(*row_weights) : nullptr,
                         aligned(weights),
                         aligned(bias),
                         functions,
                         kind,
                         mu,
                         aligned(gradient),
                         aligned(bias_gradient),
                         scores ? aligned(*scores) : nullptr,
                         curvature ? aligned(*curvature) : nullptr,
                         workspace.get()};
    nb::gil_scoped_release released;
    const std::int32_t top = softmax ? (std::int32_t)functions - 1 : 1;
    for (std::int64_t i = 0; i < n; ++i)  // a code could lead outside the scores
        require(job.codes[i] >= 0 && job.codes[i] <= top, "codes: a class is out of range");
    const LossSum sum = run(job);
    return {sum.loss, sum.bad};
}

template <class T> void bind(nb::module_& module) {
    module.def("loss", &loss<T>, nb::arg("rows").noconvert(), nb::arg("codes").noconvert(),
               nb::arg("row_weights").noconvert().none(), nb::arg("weights").noconvert(), nb::arg("bias").noconvert(),
               nb::arg("loss"), nb::arg("mu"), nb::arg("gradient").noconvert(), nb::arg("bias_gradient").noconvert(),
               nb::arg("scores").noconvert().none(), nb::arg("curvature").noconvert().none());
}

}  // namespace

void bind_loss(nb::module_& module) {
    nb::enum_<Loss>(module, "Loss")
        .value("logistic", Loss::logistic)
        .value("squared", Loss::squared)
        .value("squared_hinge", Loss::squared_hinge)
        .value("huber_hinge", Loss::huber_hinge)
        .value("softmax", Loss::softmax);
    bind<float>(module);
    bind<double>(module);
}

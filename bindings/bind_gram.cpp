#include <memory>
#include <optional>
#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "discriminant/kernels.hpp"

namespace {

using namespace discriminant;

void run(const GramJob<float>& job) { active().gram_f32(job); }
void run(const GramJob<double>& job) { active().gram_f64(job); }

template <class T>
void gram(Matrix<const T> rows, std::optional<Column<const std::int64_t>> order,
          std::optional<Column<const std::int32_t>> codes, std::optional<Column<const double>> weights,
          Matrix<const T> centre, Column<const T> scale, Column<double> totals, Matrix<double> sums,
          std::optional<Matrix<double>> scatter) {
    const std::int64_t n = rows.shape(0), d = rows.shape(1), wide = padded(d), classes = totals.shape(0);
    require(!codes || (std::int64_t)codes->shape(0) == n, "codes: one for each row");
    require(!weights || (std::int64_t)weights->shape(0) == n, "weights: one for each row");
    require((std::int64_t)centre.shape(0) == classes && (std::int64_t)centre.shape(1) == wide, "centre: K x padded(d)");
    require((std::int64_t)scale.shape(0) == wide, "scale: padded(d)");
    require((std::int64_t)sums.shape(0) == classes && (std::int64_t)sums.shape(1) == wide, "sums: K x padded(d)");
    require(!scatter || ((std::int64_t)scatter->shape(0) == wide && (std::int64_t)scatter->shape(1) == wide),
            "scatter: padded(d) x padded(d)");
    GramJob<T> job{aligned(rows),
                   order ? (std::int64_t)order->shape(0) : n,
                   d,
                   d,
                   classes,
                   order ? aligned(*order) : nullptr,
                   codes ? aligned(*codes) : nullptr,
                   weights ? aligned(*weights) : nullptr,
                   aligned(centre),
                   aligned(scale),
                   aligned(totals),
                   aligned(sums),
                   scatter ? aligned(*scatter) : nullptr,
                   nullptr};
    std::unique_ptr<T[]> workspace(new T[gram_workspace(d, classes)]);
    job.workspace = workspace.get();
    nb::gil_scoped_release released;  // the kernel reads and fills buffers that `rows` and the others keep alive
    for (std::int64_t i = 0; i < job.n; ++i) {  // indices are the one thing that could lead outside a buffer
        const std::int64_t row = job.order ? job.order[i] : i;
        require(row >= 0 && row < n, "order: a row number is out of range");
        require(!job.codes || (job.codes[row] >= 0 && job.codes[row] < classes), "codes: a class is out of range");
    }
    run(job);
}

template <class T> void bind(nb::module_& module) {
    module.def("gram", &gram<T>, nb::arg("rows").noconvert(), nb::arg("order").noconvert().none(),
               nb::arg("codes").noconvert().none(), nb::arg("weights").noconvert().none(),
               nb::arg("centre").noconvert(), nb::arg("scale").noconvert(), nb::arg("totals").noconvert(),
               nb::arg("sums").noconvert(), nb::arg("scatter").noconvert().none());
}

}  // namespace

void bind_gram(nb::module_& module) {
    bind<float>(module);
    bind<double>(module);
}

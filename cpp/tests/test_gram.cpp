// The Gram kernel against three plain loops in long double.
#include "check.hpp"

using namespace discriminant;

namespace {

void run(const GramJob<float>& job) { active().gram_f32(job); }
void run(const GramJob<double>& job) { active().gram_f64(job); }

struct Sums {
    Guarded<double> totals, sums, scatter;
    Sums(std::int64_t d, std::int64_t classes)
        : totals(classes, 0.25), sums(classes * padded(d), 0.5), scatter(padded(d) * padded(d), 0.75) {}
    bool intact() { return totals.intact() && sums.intact() && scatter.intact(); }
};

// The same sums, and beside each the sum of the sizes of its terms.
template <class T> struct Twin {
    std::vector<long double> totals, sums, scatter, sums_size, scatter_size;

    explicit Twin(const GramJob<T>& job) {
        const std::size_t d = static_cast<std::size_t>(job.d), K = static_cast<std::size_t>(job.classes);
        totals.assign(K, 0.25L);
        sums.assign(K * d, 0.5L);
        scatter.assign(d * d, 0.75L);
        sums_size = sums;
        scatter_size = scatter;
        std::vector<long double> y(d);
        for (std::int64_t visit = 0; visit < job.n; ++visit) {
            const std::int64_t i = job.order ? job.order[visit] : visit;
            const std::size_t k = static_cast<std::size_t>(job.codes ? job.codes[i] : 0);
            const long double w = job.weights ? job.weights[i] : 1.0L;
            totals[k] += w;
            for (std::size_t j = 0; j < d; ++j) {
                const T* centre = job.centre + static_cast<std::int64_t>(k) * padded(job.d);
                const T centred = job.rows[i * job.stride + static_cast<std::int64_t>(j)] - centre[j];
                y[j] = static_cast<T>(centred * job.scale[j]);
                sums[k * d + j] += w * y[j];
                sums_size[k * d + j] += w * std::fabs(y[j]);
            }
            for (std::size_t a = 0; a < d; ++a)
                for (std::size_t b = a; b < d; ++b) {
                    scatter[a * d + b] += w * y[a] * y[b];
                    scatter_size[a * d + b] += w * std::fabs(y[a] * y[b]);
                }
        }
    }
};

template <class T> void compare(const GramJob<T>& job, Sums& got) {
    const Twin<T> want(job);
    const std::int64_t d = job.d, wide = padded(d);
    const long double allowed = 32 * rounding<T>;
    for (std::int64_t k = 0; k < job.classes; ++k) {
        CHECK_NEAR(got.totals[k], want.totals[static_cast<std::size_t>(k)], 1e-12L * (1 + job.n));
        for (std::int64_t j = 0; j < wide; ++j) {
            const std::size_t at = static_cast<std::size_t>(k * d + j);
            if (j < d) CHECK_NEAR(got.sums[k * wide + j], want.sums[at], allowed * want.sums_size[at]);
            else CHECK(got.sums[k * wide + j] == 0.5);
        }
    }
    for (std::int64_t a = 0; a < wide; ++a)
        for (std::int64_t b = a; b < wide; ++b) {
            const std::size_t at = static_cast<std::size_t>(a * d + b);
            if (!job.scatter || b >= d) CHECK(got.scatter[a * wide + b] == 0.75);
            else CHECK_NEAR(got.scatter[a * wide + b], want.scatter[at], allowed * want.scatter_size[at]);
        }
}

template <class T>
void one_case(Random& random, const char* isa, std::int64_t n, std::int64_t d, std::int64_t classes) {
    const std::int64_t stride = d + random.below(3), visits = random.coin() ? n : random.below(n + 1);
    const bool ordered = visits != n || random.coin(), coded = classes > 1, weighted = random.coin();
    const bool scatter = random.below(5) != 0;
    try_case("%s float%d n=%d d=%d K=%d stride=%d visits=%d weighted=%d scatter=%d", isa, int(8 * sizeof(T)), int(n),
             int(d), int(classes), int(stride), ordered ? int(visits) : -1, weighted, scatter);
    Guarded<T> rows = random_rows<T>(random, n, d, stride), centre(classes * padded(d), 0), scale(padded(d), 0);
    Guarded<double> weights(n);
    std::vector<std::int64_t> order(static_cast<std::size_t>(visits));
    std::vector<std::int32_t> codes(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) weights[i] = random.weight();
    for (auto& code : codes) code = static_cast<std::int32_t>(random.below(classes));
    for (auto& row : order) row = random.below(n);
    for (std::int64_t j = 0; j < d; ++j) scale[j] = static_cast<T>(0.5 + random.weight());
    for (std::int64_t k = 0; k < classes; ++k)
        for (std::int64_t j = 0; j < d; ++j) centre[k * padded(d) + j] = static_cast<T>(random.normal());

    Sums first(d, classes), second(d, classes);
    Guarded<T> workspace(gram_workspace(d, classes)), other_workspace(gram_workspace(d, classes), 3);
    GramJob<T> job{rows.data(), ordered ? visits : n, d, stride, classes, ordered ? order.data() : nullptr,
                   coded ? codes.data() : nullptr, weighted ? weights.data() : nullptr, centre.data(), scale.data(),
                   first.totals.data(), first.sums.data(), scatter ? first.scatter.data() : nullptr, workspace.data()};
    run(job);
    compare(job, first);
    CHECK(first.intact() && workspace.intact());

    job.totals = second.totals.data();
    job.sums = second.sums.data();
    job.scatter = scatter ? second.scatter.data() : nullptr;
    job.workspace = other_workspace.data();
    run(job);
    CHECK(first.totals.same_bits(second.totals) && first.sums.same_bits(second.sums));
    CHECK(first.scatter.same_bits(second.scatter));
}

}  // namespace

int main() {
    Random random;
    on_every_instruction_set([&](const char* isa) {
        for (std::int64_t d = 1; d <= 41; ++d)
            for (std::int64_t n : {0, 1, 2, 5, 191, 192, 193, 300}) {
                const std::int64_t width = d == 41 ? 100 : d, classes = random.coin() ? 1 : 1 + random.below(20);
                one_case<float>(random, isa, n, width, classes);
                one_case<double>(random, isa, n, width, classes);
            }
        for (std::int64_t d : {3, 20})  // long enough for class sums to be moved to double on the way
            for (std::int64_t classes : {1, 7}) {
                one_case<float>(random, isa, 2000, d, classes);
                one_case<double>(random, isa, 2000, d, classes);
            }
    });
    return finish("gram");
}

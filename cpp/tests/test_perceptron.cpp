// The perceptron kernel against the plain loop: the same decisions and the same bits of every weight.
#include <algorithm>

#include "check.hpp"

using namespace discriminant;

namespace {

Walked run(const PerceptronJob<DenseRows<float>>& job) { return active().perceptron_dense_f32(job); }
Walked run(const PerceptronJob<DenseRows<double>>& job) { return active().perceptron_dense_f64(job); }
Walked run(const PerceptronJob<SparseRows<float>>& job) { return active().perceptron_sparse_f32(job); }
Walked run(const PerceptronJob<SparseRows<double>>& job) { return active().perceptron_sparse_f64(job); }
void run(const LengthsJob<DenseRows<float>>& job) { active().lengths_dense_f32(job); }
void run(const LengthsJob<DenseRows<double>>& job) { active().lengths_dense_f64(job); }
void run(const LengthsJob<SparseRows<float>>& job) { active().lengths_sparse_f32(job); }
void run(const LengthsJob<SparseRows<double>>& job) { active().lengths_sparse_f64(job); }

double product(double a, double b) {
    volatile double rounded = a * b;  // or the compiler may add to it without rounding
    return rounded;
}

struct Plain {
    std::int64_t functions, d;
    PerceptronRule rule;
    std::vector<double> weights, bias;
    std::vector<std::int64_t> mistakes;

    Plain(std::int64_t functions, std::int64_t d, const PerceptronRule& rule)
        : functions(functions), d(d), rule(rule), weights(static_cast<std::size_t>(functions * d)),
          bias(static_cast<std::size_t>(functions)), mistakes(static_cast<std::size_t>(functions)) {}

    double net(const double* x, std::int64_t f) const {
        double sum = 0;
        for (std::int64_t j = 0; j < d; ++j) sum += product(x[j], weights[static_cast<std::size_t>(f * d + j)]);
        return sum + bias[static_cast<std::size_t>(f)];
    }
    void learn(const double* x, std::int64_t f, double c) {
        for (std::int64_t j = 0; j < d; ++j) weights[static_cast<std::size_t>(f * d + j)] += product(x[j], c);
        if (rule.intercept) bias[static_cast<std::size_t>(f)] += c;
    }
    int output(double net) const {
        if (rule.zero == NetOfZero::positive) return net >= 0 ? 1 : -1;
        if (rule.zero == NetOfZero::negative) return net > 0 ? 1 : -1;
        return net > rule.threshold ? 1 : net < -rule.threshold ? -1 : 0;
    }
    void present(const double* x, std::int64_t own, double step) {
        const double c = rule.rate * step;
        if (!rule.together) {
            for (std::int64_t f = 0; f < functions; ++f) {
                const int target = own == f + (functions == 1) ? 1 : -1;
                if (output(net(x, f)) == target) continue;
                ++mistakes[static_cast<std::size_t>(f)];
                learn(x, f, c * target);
            }
            return;
        }
        std::int64_t best = -1;
        double top = 0;
        const bool last = rule.zero == NetOfZero::positive;
        for (std::int64_t k = 0; k < functions; ++k) {
            if (k == own) continue;
            const double z = net(x, k);
            if (best < 0 || z > top || (last && z == top)) best = k, top = z;
        }
        const double mine = net(x, own);
        bool right = mine > top;
        if (mine == top && rule.zero != NetOfZero::undecided) right = last ? own > best : own < best;
        if (right) return;
        ++mistakes[0];
        learn(x, best, -c);
        learn(x, own, c);
    }
};

// Rows that are mostly zero, as compressed rows.
template <class T> struct Compressed {
    std::vector<T> cells;
    std::vector<std::int32_t> columns;
    std::vector<std::int64_t> starts{0};

    Compressed(Guarded<T>& rows, std::int64_t n, std::int64_t d, std::int64_t stride) {
        for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t j = 0; j < d; ++j)
                if (rows[i * stride + j] != 0) {
                    cells.push_back(rows[i * stride + j]);
                    columns.push_back(static_cast<std::int32_t>(j));
                }
            starts.push_back(static_cast<std::int64_t>(cells.size()));
        }
    }
};

template <class T>
void one_case(Random& random, const char* isa, std::int64_t n, std::int64_t d, std::int64_t functions, bool together,
              NetOfZero zero, bool whole) {
    const std::int64_t stride = d + random.below(3);
    const double threshold = zero == NetOfZero::undecided && !together && random.coin() ? 0.75 : 0.0;
    try_case("%s float%d n=%d d=%d F=%d together=%d zero=%d whole=%d theta=%g", isa, int(8 * sizeof(T)), int(n), int(d),
             int(functions), int(together), int(zero), int(whole), threshold);
    Guarded<T> rows(n * stride, T(0));
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < d; ++j) {
            const double cell = random.below(3) == 0 ? 0 : random.normal();
            rows[i * stride + j] = static_cast<T>(whole ? std::round(cell) : cell);
        }
    Guarded<std::int32_t> codes(n, 0), positives(functions, 0);
    Guarded<double> steps(n, 0.0), lengths(n), sparse_lengths(n);
    const std::int64_t classes = functions == 1 ? 2 : functions;
    for (std::int64_t i = 0; i < n; ++i) {
        const double first = static_cast<double>(rows[i * stride]);
        codes[i] = static_cast<std::int32_t>(random.below(8) == 0 ? random.below(classes) : first > 0 ? classes - 1 : 0);
        steps[i] = 1 + random.weight();
    }
    for (std::int64_t f = 0; f < functions; ++f) positives[f] = static_cast<std::int32_t>(f + (functions == 1));
    std::vector<std::int64_t> order;
    for (std::int64_t p = 0; p < n; ++p) order.push_back(random.below(n));
    const bool ordered = random.coin(), weighted = random.coin();
    const PerceptronRule rule{0.5, threshold, zero, random.coin(), together, false};

    Plain plain(functions, d, rule);
    std::vector<double> x(static_cast<std::size_t>(d));
    for (int epoch = 0; epoch < 3; ++epoch)
        for (std::int64_t p = 0; p < n; ++p) {
            const std::int64_t i = ordered ? order[static_cast<std::size_t>(p)] : p;
            for (std::int64_t j = 0; j < d; ++j) x[static_cast<std::size_t>(j)] = static_cast<double>(rows[i * stride + j]);
            plain.present(x.data(), codes[i], weighted ? steps[i] : 1.0);
        }

    const Compressed<T> compressed(rows, n, d, stride);
    const DenseRows<T> dense{rows.data(), d, stride};
    const SparseRows<T> sparse{compressed.cells.data(), compressed.columns.data(), compressed.starts.data(), d};
    run(LengthsJob<DenseRows<T>>{dense, n, lengths.data()});
    run(LengthsJob<SparseRows<T>>{sparse, n, sparse_lengths.data()});
    for (std::int64_t i = 0; i < n; ++i) CHECK_NEAR(lengths[i], sparse_lengths[i], 1e-14 * lengths[i]);

    const auto walk = [&](const auto& view) {
        const std::int64_t wide = padded(d);
        Guarded<double> weights(functions * wide, 0.0), bias(functions, 0.0), workspace(6 * functions);
        Guarded<float> shadow(functions * wide, 0.0f);
        Guarded<std::int64_t> mistakes(functions, 0);
        PerceptronState state{functions, weights.data(), bias.data(), shadow.data(), mistakes.data(), nullptr, nullptr,
                              0, nullptr, nullptr, nullptr};
        for (int epoch = 0; epoch < 3; ++epoch)
            for (std::int64_t first = 0; first < n; first += 50) {
                const PerceptronJob<std::decay_t<decltype(view)>> job{
                    view, n, first, std::min<std::int64_t>(50, n - first), ordered ? order.data() : nullptr, codes.data(),
                    weighted ? steps.data() : nullptr, lengths.data(), positives.data(), rule, state, nullptr, nullptr,
                    nullptr, workspace.data()};
                CHECK(run(job).presented == job.n);
            }
        for (std::int64_t f = 0; f < functions; ++f) {
            for (std::int64_t j = 0; j < d; ++j)
                CHECK(weights[f * wide + j] == plain.weights[static_cast<std::size_t>(f * d + j)]);
            for (std::int64_t j = d; j < wide; ++j) CHECK(weights[f * wide + j] == 0);
            CHECK(bias[f] == plain.bias[static_cast<std::size_t>(f)]);
            if (f == 0 || !together) CHECK(mistakes[f] == plain.mistakes[static_cast<std::size_t>(f)]);
        }
        CHECK(weights.intact() && bias.intact() && shadow.intact() && workspace.intact() && mistakes.intact());
    };
    walk(dense);
    walk(sparse);
    CHECK(rows.intact());
}

}  // namespace

int main() {
    on_every_instruction_set([](const char* isa) {
        Random random;
        for (std::int64_t n : {1, 3, 4, 5, 61, 130})
            for (std::int64_t d : {1, 2, 7, 8, 9, 16, 17, 40})
                for (std::int64_t functions : {1, 2, 3, 4, 5, 7, 9})
                    for (const bool together : {false, true})
                        for (const bool whole : {false, true}) {
                            if (together && functions == 1) continue;
                            const auto zero = static_cast<NetOfZero>(random.below(3));
                            one_case<double>(random, isa, n, d, functions, together, zero, whole);
                            one_case<float>(random, isa, n, d, functions, together, zero, whole);
                        }
    });
    return finish("perceptron");
}

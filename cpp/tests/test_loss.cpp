// The loss kernel against plain loops in long double, finite differences, and the far ends of the line.
#include "check.hpp"

using namespace discriminant;

namespace {

LossSum run(const LossJob<float>& job) { return active().loss_f32(job); }
LossSum run(const LossJob<double>& job) { return active().loss_f64(job); }

constexpr Loss binary[] = {Loss::logistic, Loss::squared, Loss::squared_hinge, Loss::huber_hinge};

struct At {
    long double value, slope, curve;
};

At loss_at(Loss loss, long double z, long double s, long double mu) {
    const long double m = s * z, gap = 1 - m;
    switch (loss) {
        case Loss::logistic: {
            const long double t = std::exp(-std::fabs(m)), small = t / (1 + t), large = 1 / (1 + t);
            return {std::fmax(-m, 0.0L) + std::log1p(t), -s * (m > 0 ? small : large), small * large};
        }
        case Loss::squared: return {(z - s) * (z - s) / 2, z - s, 1};
        case Loss::squared_hinge:
            if (gap <= 0) return {0, 0, 0};
            return {gap * gap, -2 * s * gap, 2};
        default:
            if (gap <= 0) return {0, 0, 0};
            if (gap < mu) return {gap * gap / (2 * mu), -s * gap / mu, 1 / mu};
            return {gap - mu / 2, -s, 0};
    }
}

// The softmax loss and its slopes.
long double softmax_at(const double* z, std::int64_t count, std::int32_t code, std::vector<long double>& slopes) {
    std::int64_t top = 0;
    for (std::int64_t k = 1; k < count; ++k)
        if (z[k] > z[top]) top = k;
    long double rest = 0;
    for (std::int64_t k = 0; k < count; ++k)
        if (k != top) rest += std::exp(static_cast<long double>(z[k]) - z[top]);
    for (std::int64_t k = 0; k < count; ++k) {
        long double& slope = slopes[static_cast<std::size_t>(k)];
        slope = std::exp(static_cast<long double>(z[k]) - z[top]) / (1 + rest);
        if (k == code) slope = k == top ? -rest / (1 + rest) : slope - 1;
    }
    return static_cast<long double>(z[top]) - z[code] + std::log1p(rest);
}

template <class T> struct Problem {
    std::int64_t n, d, stride, count;
    Loss loss;
    double mu;
    bool weighted;
    Guarded<T> rows;
    Functions functions;
    std::vector<std::int32_t> codes;
    Guarded<double> row_weights;

    Problem(Random& random, std::int64_t n_, std::int64_t d_, std::int64_t count_, Loss loss_)
        : n(n_), d(d_), stride(d_ + random.below(3)), count(count_), loss(loss_), mu(0.1 + random.weight()),
          weighted(random.coin()), rows(random_rows<T>(random, n, d, stride)), functions(random, d, count),
          codes(static_cast<std::size_t>(n)), row_weights(n) {
        for (auto& code : codes) code = static_cast<std::int32_t>(random.below(count == 1 ? 2 : count));
        for (std::int64_t i = 0; i < n; ++i) row_weights[i] = random.weight();
    }
};

struct Answer {
    LossSum sum;
    Guarded<double> gradient, bias_gradient, scores, curvature, workspace;

    template <class T>
    Answer(Problem<T>& problem, bool all, double leavings = nan_of<double>, double begin = 0.5)
        : gradient(problem.count * padded(problem.d), begin), bias_gradient(problem.count, begin),
          scores(problem.n * problem.count), curvature(problem.n),
          workspace(loss_workspace(problem.d, problem.count), leavings) {
        const bool curved = all && problem.count == 1;
        sum = run(LossJob<T>{problem.rows.data(), problem.n, problem.d, problem.stride, problem.codes.data(),
                             problem.weighted ? problem.row_weights.data() : nullptr, problem.functions.weights.data(),
                             problem.functions.bias.data(), problem.count, problem.loss, problem.mu, gradient.data(),
                             bias_gradient.data(), all ? scores.data() : nullptr, curved ? curvature.data() : nullptr,
                             workspace.data()});
        CHECK(gradient.intact() && bias_gradient.intact() && scores.intact() && curvature.intact());
        CHECK(workspace.intact());
    }
};

// The scores are compared with their twin; all else is made again from the scores that the kernel itself wrote.
template <class T> void compare(Problem<T>& problem, Answer& got) {
    const std::int64_t d = problem.d, count = problem.count, wide = padded(d);
    const long double allowed = 16 * rounding<double>;
    std::vector<long double> slopes(static_cast<std::size_t>(count));
    std::vector<long double> gradient(static_cast<std::size_t>(count * (d + 1))), sizes(gradient.size());
    long double loss = 0, loss_size = 0;
    for (std::int64_t i = 0; i < problem.n; ++i) {
        const T* x = problem.rows.data() + i * problem.stride;
        const double* z = got.scores.data() + i * count;
        const long double v = problem.weighted ? problem.row_weights[i] : 1.0;
        const std::int32_t code = problem.codes[static_cast<std::size_t>(i)];
        for (std::int64_t k = 0; k < count; ++k) {
            long double size;
            const long double want = score_of(problem.functions, x, d, k, &size);
            CHECK_NEAR(z[k], want, 8 * rounding<double> * size);
        }
        long double value, scale = 1;  // the sizes that rounding 1 - sz, or z - peak, leaves in a slope
        if (problem.loss == Loss::softmax) {
            value = softmax_at(z, count, code, slopes);
        } else {
            const At at = loss_at(problem.loss, z[0], code == 1 ? 1 : -1, problem.mu);
            value = at.value;
            slopes[0] = at.slope;
            scale = 1 + std::fabs(z[0]) + 1 / static_cast<long double>(problem.mu);
            CHECK_NEAR(got.curvature[i], v * at.curve, allowed * v * std::fabs(at.curve));
        }
        loss += v * value;
        loss_size += v * (value + scale);
        for (std::int64_t k = 0; k < count; ++k)
            for (std::int64_t j = 0; j <= d; ++j) {
                const long double cell = j < d ? x[j] : 1.0L, slope = slopes[static_cast<std::size_t>(k)];
                gradient[static_cast<std::size_t>(k * (d + 1) + j)] += v * slope * cell;
                sizes[static_cast<std::size_t>(k * (d + 1) + j)] += v * (std::fabs(slope) + scale) * std::fabs(cell);
            }
    }
    CHECK(got.sum.bad == -1);
    CHECK_NEAR(got.sum.loss, loss, allowed * loss_size);
    for (std::int64_t k = 0; k < count; ++k) {
        const std::size_t at = static_cast<std::size_t>(k * (d + 1));
        CHECK_NEAR(got.bias_gradient[k] - 0.5L, gradient[at + static_cast<std::size_t>(d)],
                   allowed * (1 + sizes[at + static_cast<std::size_t>(d)]));
        for (std::int64_t j = 0; j < d; ++j)
            CHECK_NEAR(got.gradient[k * wide + j] - 0.5L, gradient[at + static_cast<std::size_t>(j)],
                       allowed * (1 + sizes[at + static_cast<std::size_t>(j)]));
        for (std::int64_t j = d; j < wide; ++j) CHECK(got.gradient[k * wide + j] == 0.5);
    }
}

template <class T>
void one_case(Random& random, const char* isa, std::int64_t n, std::int64_t d, std::int64_t count, Loss loss) {
    Problem<T> problem(random, n, d, count, loss);
    try_case("%s float%d n=%d d=%d K=%d loss=%d weighted=%d", isa, int(8 * sizeof(T)), int(n), int(d), int(count),
             int(loss), problem.weighted);
    Answer first(problem, true), second(problem, false, 3);
    compare(problem, first);
    CHECK(first.sum.loss == second.sum.loss && first.gradient.same_bits(second.gradient));
    CHECK(first.bias_gradient.same_bits(second.bias_gradient));

    if (n == 0) return;
    const std::int64_t bad = random.below(n), worse = bad + random.below(n - bad);
    problem.rows[worse * problem.stride + random.below(d)] = nan_of<T>;
    problem.rows[bad * problem.stride + random.below(d)] =
        random.coin() ? nan_of<T> : -std::numeric_limits<T>::infinity();
    problem.row_weights[bad] = 0;  // input all the same
    Answer third(problem, false);
    CHECK(third.sum.bad == bad && std::isnan(third.sum.loss));
}

void differences(Random& random, const char* isa, std::int64_t count, Loss loss) {
    try_case("%s differences K=%d loss=%d", isa, int(count), int(loss));
    constexpr double h = 1e-6;
    Problem<double> problem(random, 50, 6, count, loss);
    Answer here(problem, false);
    for (std::int64_t k = 0; k < count; ++k)
        for (std::int64_t j = 0; j <= problem.d; ++j) {
            double& w = j < problem.d ? problem.functions.at(k, j) : problem.functions.bias[k];
            const double kept = w;
            w = kept + h;
            const double above = Answer(problem, false).sum.loss;
            w = kept - h;
            const double below = Answer(problem, false).sum.loss;
            w = kept;
            const double slope = j < problem.d ? here.gradient[k * padded(problem.d) + j] - 0.5
                                               : here.bias_gradient[k] - 0.5;
            CHECK_NEAR((above - below) / (2 * h), slope, 1e-4 + 1e-6 * here.sum.loss);
        }
}

// One row of one cell, so that z is the weight itself: what the kernel makes of every z, to a few units in the last
// place, also where the answer is subnormal.
void one_score(const char* isa, Loss loss, double z) {
    for (std::int32_t code : {0, 1}) {
        try_case("%s loss=%d z=%g code=%d", isa, int(loss), z, int(code));
        Random random;
        Problem<double> problem(random, 1, 1, 1, loss);
        problem.rows[0] = 1;
        problem.codes[0] = code;
        problem.weighted = false;
        problem.functions.weights[0] = z;
        problem.functions.bias[0] = 0;
        Answer got(problem, true, nan_of<double>, 0);
        const At want = loss_at(loss, z, code == 1 ? 1 : -1, problem.mu);
        const auto near = [](double have, long double whole) {
            if (whole > std::numeric_limits<double>::max()) return have == std::numeric_limits<double>::infinity();
            return std::fabs(have - whole) <= 4 * rounding<double> * std::fabs(whole) + 1e-323L;
        };
        CHECK(got.sum.bad == -1 && near(got.sum.loss, want.value));
        CHECK(near(got.curvature[0], want.curve));
        CHECK(near(got.bias_gradient[0], want.slope));
    }
}

void scores_far_apart(Random& random, const char* isa, double size) {
    for (std::int64_t count : {2, 3, 7, 20}) {
        try_case("%s softmax of %d scores near %g", isa, int(count), size);
        Problem<double> problem(random, 1, 1, count, Loss::softmax);
        problem.rows[0] = 1;
        problem.weighted = false;
        for (std::int64_t k = 0; k < count; ++k) {
            problem.functions.at(k, 0) = size * random.normal();
            problem.functions.bias[k] = 0;
        }
        Answer got(problem, true, nan_of<double>, 0);
        std::vector<long double> slopes(static_cast<std::size_t>(count));
        const long double want = softmax_at(got.scores.data(), count, problem.codes[0], slopes);
        // z - peak is rounded before exp: by half a unit, and what is beyond 746 is zero either way.
        const long double allowed = (8 + std::fmin(4 * size, 746.0)) * rounding<double>;
        CHECK_NEAR(got.sum.loss, want, allowed * want + 1e-323L);
        for (std::int64_t k = 0; k < count; ++k) {
            const long double slope = slopes[static_cast<std::size_t>(k)];
            CHECK_NEAR(got.bias_gradient[k], slope, allowed * std::fabs(slope) + 1e-323L);
        }
    }
}

}  // namespace

int main() {
    Random random;
    on_every_instruction_set([&](const char* isa) {
        for (std::int64_t d = 1; d <= 41; ++d) {
            const std::int64_t width = d == 41 ? 100 : d;
            for (Loss loss : binary) {
                one_case<float>(random, isa, random.below(120), width, 1, loss);
                one_case<double>(random, isa, random.below(120), width, 1, loss);
            }
            for (std::int64_t count = 2; count <= 20; count += 1 + random.below(3)) {
                one_case<float>(random, isa, random.below(60), width, count, Loss::softmax);
                one_case<double>(random, isa, random.below(60), width, count, Loss::softmax);
            }
        }
        for (std::int64_t n : {0, 1, 7, 8, 9, 23, 24, 25, 47, 48, 49, 300}) {
            one_case<float>(random, isa, n, 10, 1, Loss::logistic);
            one_case<double>(random, isa, n, 1500, 1, Loss::logistic);
            one_case<double>(random, isa, n, 10, 5, Loss::softmax);
        }
        for (Loss loss : binary) {
            differences(random, isa, 1, loss);
            for (double z : {0.0, 1e-320, 1e-300, 1e-20, 1e-10, 0.3, 1.0, 36.0, 37.0, 700.0, 708.5, 740.0, 745.1, 746.0,
                             800.0, 1e10, 1e150, 1e300})
                for (double sign : {1.0, -1.0}) one_score(isa, loss, sign * z);
            for (int i = 0; i < 2000; ++i) one_score(isa, loss, random.normal() * (i % 2 ? 400 : 2));
        }
        for (std::int64_t count : {2, 3, 9}) differences(random, isa, count, Loss::softmax);
        for (double size : {1e-12, 1e-3, 1.0, 30.0, 700.0, 1e10, 1e300})
            for (int i = 0; i < 50; ++i) scores_far_apart(random, isa, size);
    });
    return finish("loss");
}

// The scores kernel against one plain loop in long double.
#include "check.hpp"

using namespace discriminant;

namespace {

std::int64_t run(const ScoresJob<float>& job) { return active().scores_f32(job); }
std::int64_t run(const ScoresJob<double>& job) { return active().scores_f64(job); }

std::int32_t winner(const double* z, std::int64_t functions) {
    if (functions == 1) return z[0] > 0;
    std::int32_t best = 0;
    for (std::int32_t k = 1; k < functions; ++k)
        if (z[k] > z[best]) best = k;
    return best;
}

template <class T> void one_case(Random& random, const char* isa, std::int64_t n, std::int64_t d, std::int64_t count) {
    const std::int64_t stride = d + random.below(3);
    try_case("%s float%d n=%d d=%d K=%d stride=%d", isa, int(8 * sizeof(T)), int(n), int(d), int(count), int(stride));
    Guarded<T> rows = random_rows<T>(random, n, d, stride);
    Functions functions(random, d, count);
    Guarded<double> out(n * count), again(n * count), workspace(scores_workspace(d, count)),
        other_workspace(scores_workspace(d, count), 3);
    Guarded<std::int32_t> winners(n, -1), alone(n, -1);
    ScoresJob<T> job{rows.data(), n, d, stride, functions.weights.data(), functions.bias.data(), count,
                     out.data(), winners.data(), workspace.data()};
    CHECK(run(job) == -1);
    for (std::int64_t i = 0; i < n; ++i) {
        CHECK(winners[i] == winner(out.data() + i * count, count));
        for (std::int64_t k = 0; k < count; ++k) {
            long double size;
            const long double want = score_of(functions, rows.data() + i * stride, d, k, &size);
            CHECK_NEAR(out[i * count + k], want, 8 * rounding<double> * size);
        }
    }
    CHECK(out.intact() && winners.intact() && workspace.intact());

    job.workspace = other_workspace.data();  // each output alone, over another's leavings: the same bits
    job.scores = nullptr;
    job.winners = alone.data();
    CHECK(run(job) == -1 && alone.same_bits(winners));
    job.scores = again.data();
    job.winners = nullptr;
    CHECK(run(job) == -1 && again.same_bits(out));

    if (n == 0) return;
    const std::int64_t bad = random.below(n), worse = bad + random.below(n - bad);
    rows[worse * stride + random.below(d)] = nan_of<T>;
    rows[bad * stride + random.below(d)] = random.coin() ? nan_of<T> : std::numeric_limits<T>::infinity();
    CHECK(run(job) == bad);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t k = 0; k < count; ++k) {
            if (i == bad || i == worse) CHECK(!std::isfinite(again[i * count + k]));
            else CHECK(again[i * count + k] == out[i * count + k]);
        }
    CHECK(again.intact() && other_workspace.intact());
}

void ties(const char* isa) {
    try_case("%s ties go to the first", isa);
    Random random;
    for (std::int64_t count : {2, 3, 20}) {
        Functions functions(random, 4, count);
        Guarded<double> rows(4, 1.0), workspace(scores_workspace(4, count));
        for (std::int64_t k = 0; k < count; ++k) {
            functions.bias[k] = 0;
            for (std::int64_t j = 0; j < 4; ++j) functions.at(k, j) = k == 0 ? -1 : 1;
        }
        std::int32_t first = -1;
        run(ScoresJob<double>{rows.data(), 1, 4, 4, functions.weights.data(), functions.bias.data(), count, nullptr,
                              &first, workspace.data()});
        CHECK(first == 1);
    }
}

}  // namespace

int main() {
    Random random;
    on_every_instruction_set([&](const char* isa) {
        for (std::int64_t d = 1; d <= 41; ++d)
            for (std::int64_t count = 1; count <= 20; ++count) {
                const std::int64_t width = d == 41 ? 100 : d, n = random.below(40);
                one_case<float>(random, isa, n, width, count);
                one_case<double>(random, isa, n, width, count);
            }
        for (std::int64_t n : {0, 1, 11, 12, 13, 24, 300})
            for (std::int64_t count : {1, 2, 3, 4, 16, 17}) one_case<double>(random, isa, n, 10, count);
        ties(isa);
    });
    return finish("scores");
}

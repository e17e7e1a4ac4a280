// The scores kernel (contract: discriminant/scores.hpp), over the vectors of vector.inl.

// The rows asked for ahead of time, in bytes. One row after another is the order that the memory serves best; what it
// fetches on its own stops wherever a caller pauses to compute.
constexpr std::int64_t fetch_ahead = 16384;

template <class T> inline void fetch(const T* x) {
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(x) + fetch_ahead), 0, 3);
}

// The last vector of a row ends where the row ends; lanes that were read before meet a weight of zero. A row shorter
// than a vector has none.
inline Doubles last_weights(const double* w, std::int64_t d) {
    Doubles last = splat(0.0);
    if (d >= lanes<double>)
        for (std::int64_t j = d / lanes<double> * lanes<double>; j < d; ++j) last[j + lanes<double> - d] = w[j];
    return last;
}

// K dot products of each row, every one in enough parts to cover the latency of an addition.
template <class T, int K>
void narrow_block(const ScoresJob<T>& job, const T* x, std::int64_t rows, double* z, std::int64_t z_stride) {
    constexpr std::int64_t width = lanes<double>;
    constexpr int parts = K == 1 ? 4 : 2;
    const std::int64_t d = job.d, stride = job.stride, whole = d / width * width;
    const double *const w = job.weights, *const bias = job.bias;
    Doubles last[K];
    DISCRIMINANT_UNROLL for (int k = 0; k < K; ++k) last[k] = last_weights(w + k * d, d);
    for (std::int64_t m = 0; m < rows; ++m) {
        const T* row = x + m * stride;
        Doubles sum[K][parts] = {};
        std::int64_t j = 0;
        for (; j + parts * width <= d; j += parts * width)
            DISCRIMINANT_UNROLL for (int p = 0; p < parts; ++p) {
                const Doubles v = load_doubles(row + j + p * width);
                fetch(row + j + p * width);
                DISCRIMINANT_UNROLL for (int k = 0; k < K; ++k)
                    sum[k][p] += v * load<Doubles>(w + k * d + j + p * width);
            }
        for (; j < whole; j += width)
            DISCRIMINANT_UNROLL for (int k = 0; k < K; ++k)
                sum[k][1] += load_doubles(row + j) * load<Doubles>(w + k * d + j);
        if (whole && whole < d)
            DISCRIMINANT_UNROLL for (int k = 0; k < K; ++k) sum[k][0] += load_doubles(row + d - width) * last[k];
        DISCRIMINANT_UNROLL for (int k = 0; k < K; ++k) {
            DISCRIMINANT_UNROLL for (int p = 1; p < parts; ++p) sum[k][0] += sum[k][p];
            double total = sum_of(sum[k][0]) + bias[k];
            if (!whole)
                for (std::int64_t t = 0; t < d; ++t) total += static_cast<double>(row[t]) * w[k * d + t];
            z[m * z_stride + k] = total;
        }
    }
}

// M rows against W vectors of functions, all M * W sums in registers.
template <int M, int W>
inline void wide_tile(const double* x, std::int64_t x_stride, std::int64_t d, const double* weights,
                      std::int64_t w_stride, const double* bias, double* z, std::int64_t z_stride) {
    constexpr std::int64_t width = lanes<double>;
    Doubles sum[M][W];
    DISCRIMINANT_UNROLL for (int m = 0; m < M; ++m)
        DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) sum[m][c] = load<Doubles>(bias + c * width);
    for (std::int64_t j = 0; j < d; ++j) {
        Doubles w[W];
        DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) w[c] = load<Doubles>(weights + j * w_stride + c * width);
        DISCRIMINANT_UNROLL for (int m = 0; m < M; ++m) {
            const Doubles v = splat(x[m * x_stride + j]);
            DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) sum[m][c] += v * w[c];
        }
    }
    DISCRIMINANT_UNROLL for (int m = 0; m < M; ++m)
        DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) store(z + m * z_stride + c * width, sum[m][c]);
}

constexpr int wide_rows = lanes<double> >= 8 ? 12 : (lanes<double> >= 4 ? 6 : 4);

inline const double* as_doubles(const ScoresJob<double>& job, const double* x, std::int64_t, std::int64_t* stride) {
    *stride = job.stride;
    return x;
}

inline const double* as_doubles(const ScoresJob<float>& job, const float* x, std::int64_t rows, std::int64_t* stride) {
    for (std::int64_t m = 0; m < rows; ++m)
        for (std::int64_t j = 0; j < job.d; ++j) job.workspace[m * job.d + j] = x[m * job.stride + j];
    *stride = job.d;
    return job.workspace;
}

template <class T> void wide_block(const ScoresJob<T>& job, const T* rows_at, std::int64_t rows, double* z) {
    constexpr std::int64_t width = lanes<double>;
    const std::int64_t columns = (job.functions + 15) / 16 * 16;
    std::int64_t stride;
    const double* x = as_doubles(job, rows_at, rows, &stride);
    for (std::int64_t c = 0; c < columns; c += 2 * width) {
        std::int64_t m = 0;
        for (; m + wide_rows <= rows; m += wide_rows)
            wide_tile<wide_rows, 2>(x + m * stride, stride, job.d, job.weights + c, columns, job.bias + c,
                                    z + m * columns + c, columns);
        for (; m < rows; ++m)
            wide_tile<1, 2>(x + m * stride, stride, job.d, job.weights + c, columns, job.bias + c,
                            z + m * columns + c, columns);
    }
}

inline std::int32_t winner_of(const double* z, std::int64_t functions) {
    if (functions == 1) return z[0] > 0;
    std::int32_t best = 0;
    for (std::int32_t k = 1; k < functions; ++k)
        if (z[k] > z[best]) best = k;
    return best;
}

// The scores of some rows at x into z, where one row's lie z_stride from the next's: padded(functions) unless narrow.
template <class T>
void score_block(const ScoresJob<T>& job, const T* x, std::int64_t rows, double* z, std::int64_t z_stride) {
    switch (job.functions) {
        case 1: return narrow_block<T, 1>(job, x, rows, z, z_stride);
        case 2: return narrow_block<T, 2>(job, x, rows, z, z_stride);
        case 3: return narrow_block<T, 3>(job, x, rows, z, z_stride);
        default: return wide_block(job, x, rows, z);
    }
}

inline bool all_finite(const double* z, std::int64_t functions) {
    int bad = 0;  // not a return at the first: this way the loop has no branch
    for (std::int64_t k = 0; k < functions; ++k) bad |= !(z[k] * 0.0 == 0.0);
    return !bad;
}

template <class T> std::int64_t scores(const ScoresJob<T>& job) {
    const std::int64_t z_stride = padded(job.functions);
    double* const z = job.workspace + scores_rows * job.d;
    std::int64_t bad = -1;
    for (std::int64_t start = 0; start < job.n; start += scores_rows) {
        const std::int64_t rows = job.n - start < scores_rows ? job.n - start : scores_rows;
        const T* x = job.rows + start * job.stride;
        score_block(job, x, rows, z, z_stride);
        for (std::int64_t m = 0; m < rows; ++m) {
            const double* row = z + m * z_stride;
            if (bad < 0 && !all_finite(row, job.functions)) bad = start + m;
            if (job.scores)
                for (std::int64_t k = 0; k < job.functions; ++k) job.scores[(start + m) * job.functions + k] = row[k];
            if (job.winners) job.winners[start + m] = winner_of(row, job.functions);
        }
    }
    return bad;
}

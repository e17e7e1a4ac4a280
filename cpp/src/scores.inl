// The scores kernel (contract: discriminant/scores.hpp), over the vectors of vector.inl.

template <class T, int M, int K>
inline void narrow_rows(const ScoresJob<T>& job, const T* x, double* z, std::int64_t z_stride) {
    constexpr std::int64_t width = lanes<double>;
    const std::int64_t whole = job.d / width * width;
    Doubles sum[M][K] = {};
    for (std::int64_t j = 0; j < whole; j += width) {
        Doubles w[K];
        DISCRIMINANT_UNROLL for (int k = 0; k < K; ++k) w[k] = load<Doubles>(job.weights + k * job.d + j);
        DISCRIMINANT_UNROLL for (int m = 0; m < M; ++m) {
            const Doubles v = load_doubles(x + m * job.stride + j);
            DISCRIMINANT_UNROLL for (int k = 0; k < K; ++k) sum[m][k] += v * w[k];
        }
    }
    DISCRIMINANT_UNROLL for (int m = 0; m < M; ++m)
        DISCRIMINANT_UNROLL for (int k = 0; k < K; ++k) {
            double total = sum_of(sum[m][k]);
            for (std::int64_t j = whole; j < job.d; ++j)
                total += static_cast<double>(x[m * job.stride + j]) * job.weights[k * job.d + j];
            z[m * z_stride + k] = total + job.bias[k];
        }
}

template <class T, int K> void narrow_block(const ScoresJob<T>& job, const T* x, std::int64_t rows, double* z) {
    std::int64_t m = 0;
    for (; m + 4 <= rows; m += 4) narrow_rows<T, 4, K>(job, x + m * job.stride, z + m * K, K);
    for (; m < rows; ++m) narrow_rows<T, 1, K>(job, x + m * job.stride, z + m * K, K);
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

template <class T> std::int64_t scores(const ScoresJob<T>& job) {
    const bool wide = job.functions > scores_narrow;
    const std::int64_t z_stride = wide ? (job.functions + 15) / 16 * 16 : job.functions;
    double* const z = job.workspace + scores_rows * job.d;
    std::int64_t bad = -1;
    for (std::int64_t start = 0; start < job.n; start += scores_rows) {
        const std::int64_t rows = job.n - start < scores_rows ? job.n - start : scores_rows;
        const T* x = job.rows + start * job.stride;
        if (wide) wide_block(job, x, rows, z);
        else if (job.functions == 1) narrow_block<T, 1>(job, x, rows, z);
        else if (job.functions == 2) narrow_block<T, 2>(job, x, rows, z);
        else narrow_block<T, 3>(job, x, rows, z);
        for (std::int64_t m = 0; m < rows; ++m) {
            const double* row = z + m * z_stride;
            double zero = 0;  // stays zero while every score is finite
            for (std::int64_t k = 0; k < job.functions; ++k) zero += row[k] * 0.0;
            if (bad < 0 && zero != 0.0) bad = start + m;
            if (job.scores)
                for (std::int64_t k = 0; k < job.functions; ++k) job.scores[(start + m) * job.functions + k] = row[k];
            if (job.winners) job.winners[start + m] = winner_of(row, job.functions);
        }
    }
    return bad;
}

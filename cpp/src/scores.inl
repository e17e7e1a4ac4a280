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

template <class T> inline double dot(const T* x, const double* w, std::int64_t d) {
    constexpr std::int64_t width = lanes<double>;
    Doubles sum[4] = {};
    std::int64_t j = 0;
    for (; j + 4 * width <= d; j += 4 * width) 
        DISCRIMINANT_UNROLL for (int c = 0; c < 4; ++c)
            sum[c] += load_doubles(x + j + c * width) * load<Doubles>(w + j + c * width);
    for (; j + width <= d; j += width) sum[0] += load_doubles(x + j) * load<Doubles>(w + j);
    double total = sum_of((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (; j < d; ++j) total += static_cast<double>(x[j]) * w[j];
    return total;
}

template <class T, int K>
void narrow_block(const ScoresJob<T>& job, const T* x, std::int64_t rows, double* z, std::int64_t z_stride) {
    std::int64_t m = 0;
    if constexpr (K == 1)
        for (; m < rows; ++m) z[m * z_stride] = dot(x + m * job.stride, job.weights, job.d) + job.bias[0];
    for (; m + 4 <= rows; m += 4) narrow_rows<T, 4, K>(job, x + m * job.stride, z + m * z_stride, z_stride);
    for (; m < rows; ++m) narrow_rows<T, 1, K>(job, x + m * job.stride, z + m * z_stride, z_stride);
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
    double zero = 0;  // stays zero while every score is finite
    for (std::int64_t k = 0; k < functions; ++k) zero += z[k] * 0.0;
    return zero == 0.0;
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

// The loss kernel (contract: discriminant/loss.hpp), over the vectors of vector.inl and the scores of scores.inl.

typedef unsigned long long Bits __attribute__((vector_size(DISCRIMINANT_VECTOR_BYTES)));

// exp(x) for x <= 0, to about one unit in the last place. x = n log 2 + r with |r| <= log(2) / 2; thirteen terms of the
// series leave 4e-18. n is read from the low bits of a sum with 1.5 * 2^52. The power of two is applied in two steps,
// because 2^n alone leaves the range where results are subnormal.
inline Doubles exp_of(Doubles x) {
    const Doubles least = splat(-746.0);  // exp of it rounds to zero
    x = x < least ? least : x;            // a NaN stays
    const Doubles shifted = x * 0x1.71547652b82fep0 + 0x1.8p52;
    const Doubles n = shifted - 0x1.8p52;
    const Doubles r = x - n * 0x1.62e42fee00000p-1 - n * 0x1.a39ef35793c76p-33;
    Doubles sum = splat(1.0);
    DISCRIMINANT_UNROLL for (int k = 13; k > 0; --k) sum = 1.0 + r * (1.0 / k) * sum;
    const Doubles power = reinterpret_cast<Doubles>((reinterpret_cast<Bits>(shifted) + (1023 + 64)) << 52);
    return sum * power * 0x1p-64;
}

// log(1 + t) for t >= 0, to two or three units in the last place. 1 + t = 2^k (1 + f) with 0 <= f < 1, where f is t
// itself for t < 1; then log(1 + f) = 2 atanh(f / (2 + f)), sixteen terms of whose series leave 2e-17.
inline Doubles log1p_of(Doubles t) {
    const Bits exponent = reinterpret_cast<Bits>(1.0 + t) >> 52;
    const Doubles k = reinterpret_cast<Doubles>(exponent | reinterpret_cast<Bits>(splat(0x1p52))) - (0x1p52 + 1023);
    const Doubles inverse = reinterpret_cast<Doubles>((2046 - exponent) << 52);
    const Doubles f = t * inverse - (1.0 - inverse);
    const Doubles s = f / (2.0 + f), square = s * s;
    Doubles sum = splat(0.0);
    DISCRIMINANT_UNROLL for (int i = 15; i >= 0; --i) sum = sum * square + 2.0 / (2 * i + 1);
    return k * 0x1.62e42fefa39efp-1 + s * sum;
}

struct LossAt {
    Doubles value, slope, curve;
};

// A NaN in z comes out as a NaN: every choice below is written so that a comparison with it keeps it.
template <Loss kind> inline LossAt loss_at(Doubles z, Doubles s, Doubles mu) {
    const Doubles zero = splat(0.0), one = splat(1.0), m = s * z;
    if constexpr (kind == Loss::logistic) {
        const Doubles t = exp_of(z > zero ? -z : z), share = 1.0 / (1.0 + t), rest = t * share;
        return {(m < zero ? -m : zero) + log1p_of(t), -s * (m > zero ? rest : share), rest * share};
    } else if constexpr (kind == Loss::squared) {
        const Doubles off = z - s;
        return {0.5 * off * off, off, one};
    } else if constexpr (kind == Loss::squared_hinge) {
        const Doubles gap = m > one ? zero : 1.0 - m;
        return {gap * gap, -2.0 * s * gap, gap > zero ? one + one : zero};
    } else {
        const Doubles gap = m > one ? zero : 1.0 - m;
        const Doubles part = gap > mu ? one : gap / mu;
        return {part * (gap - 0.5 * mu * part), -s * part, (part > zero) & (part < one) ? 1.0 / mu : zero};
    }
}

// What the losses of a tile of rows read and write. `z` holds the scores of one function after those of another,
// loss_rows apart; they become v_i dl/dz_ik. Lanes after the last row weigh nothing.
struct LossTile {
    double* z;
    double code[loss_rows], weight[loss_rows], curve[loss_rows];
    std::int64_t rows, functions;
};

template <class T> void take_targets(const LossJob<T>& job, std::int64_t start, LossTile& tile) {
    for (std::int64_t m = 0; m < tile.rows; ++m) {
        tile.code[m] = job.codes[start + m];
        tile.weight[m] = job.row_weights ? job.row_weights[start + m] : 1.0;
    }
    for (std::int64_t m = tile.rows; m % lanes<double> != 0; ++m) {
        tile.code[m] = tile.weight[m] = 0;
        for (std::int64_t k = 0; k < tile.functions; ++k) tile.z[k * loss_rows + m] = 0;
    }
}

template <Loss kind> double binary_loss(LossTile& tile, double mu) {
    Doubles loss = splat(0.0);
    for (std::int64_t m = 0; m < tile.rows; m += lanes<double>) {
        const Doubles v = load<Doubles>(tile.weight + m), s = 2.0 * load<Doubles>(tile.code + m) - 1.0;
        const LossAt at = loss_at<kind>(load<Doubles>(tile.z + m), s, splat(mu));
        loss += v * at.value;
        store(tile.z + m, v * at.slope);
        store(tile.curve + m, v * at.curve);
    }
    return sum_of(loss);
}

// The largest score is kept out of the sum `rest` of the others: log(1 + rest) and rest / (1 + rest) then keep their
// digits where a row is classified almost surely.
inline double softmax_loss(LossTile& tile) {
    const Doubles zero = splat(0.0);
    Doubles loss = zero;
    for (std::int64_t m = 0; m < tile.rows; m += lanes<double>) {
        const Doubles v = load<Doubles>(tile.weight + m), code = load<Doubles>(tile.code + m);
        Doubles peak = load<Doubles>(tile.z + m), own = peak, top = zero, rest = zero;
        for (std::int64_t k = 1; k < tile.functions; ++k) {
            const Doubles z = load<Doubles>(tile.z + k * loss_rows + m), here = splat(static_cast<double>(k));
            top = z > peak ? here : top;
            peak = z > peak ? z : peak;
            own = code == here ? z : own;
        }
        for (std::int64_t k = 0; k < tile.functions; ++k) {
            double* at = tile.z + k * loss_rows + m;
            const Doubles off = load<Doubles>(at) - peak, part = top == static_cast<double>(k) ? off : exp_of(off);
            rest += part;  // of the largest, off is zero, or NaN where it is not finite
            store(at, part);
        }
        const Doubles share = v / (1.0 + rest);
        for (std::int64_t k = 0; k < tile.functions; ++k) {
            double* at = tile.z + k * loss_rows + m;
            const Doubles here = splat(static_cast<double>(k)), part = load<Doubles>(at) * share;
            store(at, top == here ? (code == here ? -rest * share : share) : (code == here ? part - v : part));
        }
        loss += v * (peak - own + log1p_of(rest));
    }
    return sum_of(loss);
}

inline double loss_of(LossTile& tile, Loss loss, double mu) {
    switch (loss) {
        case Loss::logistic: return binary_loss<Loss::logistic>(tile, mu);
        case Loss::squared: return binary_loss<Loss::squared>(tile, mu);
        case Loss::squared_hinge: return binary_loss<Loss::squared_hinge>(tile, mu);
        case Loss::huber_hinge: return binary_loss<Loss::huber_hinge>(tile, mu);
        default: return softmax_loss(tile);
    }
}

// sum_m r[m] x[m] for H functions and W vectors of columns, added to `out`.
template <class T, int H, int W>
inline void gradient_tile(const T* x, std::int64_t stride, const double* r, std::int64_t rows, double* out,
                          std::int64_t out_stride) {
    constexpr std::int64_t width = lanes<double>;
    Doubles sum[H][W];
    DISCRIMINANT_UNROLL for (int h = 0; h < H; ++h)
        DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) sum[h][c] = load<Doubles>(out + h * out_stride + c * width);
    for (std::int64_t m = 0; m < rows; ++m) {
        Doubles v[W];
        DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) v[c] = load_doubles(x + m * stride + c * width);
        DISCRIMINANT_UNROLL for (int h = 0; h < H; ++h) {
            const Doubles weight = splat(r[h * loss_rows + m]);
            DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) sum[h][c] += weight * v[c];
        }
    }
    DISCRIMINANT_UNROLL for (int h = 0; h < H; ++h)
        DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) store(out + h * out_stride + c * width, sum[h][c]);
}

// The gradient of H functions. The last vector of columns starts where a row still fills it, and only its new lanes
// count; rows shorter than a vector are summed column by column.
template <class T, int H>
void gradient_strip(const T* x, std::int64_t stride, std::int64_t d, const double* r, std::int64_t rows, double* out) {
    constexpr std::int64_t width = lanes<double>;
    constexpr int W = H == 1 ? 4 : 3;
    const std::int64_t out_stride = padded(d);
    std::int64_t j = 0;
    for (; j + W * width <= d; j += W * width)
        gradient_tile<T, H, W>(x + j, stride, r, rows, out + j, out_stride);
    for (; j + width <= d; j += width) gradient_tile<T, H, 1>(x + j, stride, r, rows, out + j, out_stride);
    if (d >= width && j < d) {
        double last[H * width] = {};
        gradient_tile<T, H, 1>(x + d - width, stride, r, rows, last, width);
        for (; j < d; ++j)
            DISCRIMINANT_UNROLL for (int h = 0; h < H; ++h) out[h * out_stride + j] += last[(h + 1) * width + j - d];
    }
    for (; j < d; ++j)
        DISCRIMINANT_UNROLL for (int h = 0; h < H; ++h) {
            double sum = 0;
            for (std::int64_t m = 0; m < rows; ++m)
                sum += r[h * loss_rows + m] * static_cast<double>(x[m * stride + j]);
            out[h * out_stride + j] += sum;
        }
}

template <class T> void add_gradient(const LossJob<T>& job, const T* x, const LossTile& tile) {
    std::int64_t k = 0;
    for (; k + 4 <= job.functions; k += 4)
        gradient_strip<T, 4>(x, job.stride, job.d, tile.z + k * loss_rows, tile.rows, job.gradient + k * padded(job.d));
    for (; k < job.functions; ++k)
        gradient_strip<T, 1>(x, job.stride, job.d, tile.z + k * loss_rows, tile.rows, job.gradient + k * padded(job.d));
    for (k = 0; k < job.functions; ++k) {
        Doubles sum = splat(0.0);
        for (std::int64_t m = 0; m < tile.rows; m += lanes<double>) sum += load<Doubles>(tile.z + k * loss_rows + m);
        job.bias_gradient[k] += sum_of(sum);
    }
}

// Fills the tile with the scores of its rows, and writes them out. `rows_first` has room for them as score_block lays
// them for several functions. Returns the first row with a score that is not finite, or -1.
template <class T>
std::int64_t take_scores(const LossJob<T>& job, const ScoresJob<T>& scores_job, std::int64_t start, double* rows_first,
                         LossTile& tile) {
    const std::int64_t stride = job.functions == 1 ? 1 : padded(job.functions);
    double* const z = job.functions == 1 ? tile.z : rows_first;
    score_block(scores_job, job.rows + start * job.stride, tile.rows, z, stride);
    bool fine = true;
    for (std::int64_t k = 0; k < job.functions; ++k) {
        double* const column = tile.z + k * loss_rows;
        for (std::int64_t m = 0; m < tile.rows; ++m) column[m] = z[m * stride + k];
        if (job.scores)
            for (std::int64_t m = 0; m < tile.rows; ++m) job.scores[(start + m) * job.functions + k] = column[m];
        fine &= all_finite(column, tile.rows);
    }
    for (std::int64_t m = 0; !fine; ++m)
        if (!all_finite(z + m * stride, job.functions)) return start + m;
    return -1;
}

// Few rows of one function, that memory is not left idle for long while the tile is computed; of many, enough to fill
// the tiles of wide_block and to sum in registers.
template <class T> std::int64_t rows_at_a_time(const LossJob<T>& job) {
    if (job.functions > 1) return loss_rows / 2;
    const std::int64_t fit = 8192 / (padded(job.d) * static_cast<std::int64_t>(sizeof(T))) / 8 * 8;
    return fit < 8 ? 8 : (fit > loss_rows ? loss_rows : fit);
}

template <class T> LossSum loss(const LossJob<T>& job) {
    const std::int64_t step = rows_at_a_time(job), z_stride = padded(job.functions);
    double* const z = job.workspace + z_stride * loss_rows;
    const ScoresJob<T> scores_job{job.rows, job.n,         job.d,   job.stride, job.weights,
                                  job.bias, job.functions, nullptr, nullptr,    z + z_stride * loss_rows};
    LossTile tile{job.workspace, {}, {}, {}, 0, job.functions};
    LossSum sum{0, -1};
    for (std::int64_t start = 0; start < job.n; start += step) {
        tile.rows = job.n - start < step ? job.n - start : step;
        const T* x = job.rows + start * job.stride;
        const std::int64_t bad = take_scores(job, scores_job, start, z, tile);
        if (sum.bad < 0) sum.bad = bad;
        take_targets(job, start, tile);
        sum.loss += loss_of(tile, job.loss, job.mu);
        if (job.curvature)
            for (std::int64_t m = 0; m < tile.rows; ++m) job.curvature[start + m] = tile.curve[m];
        add_gradient(job, x, tile);
    }
    if (sum.bad >= 0) sum.loss = __builtin_nan("");
    return sum;
}

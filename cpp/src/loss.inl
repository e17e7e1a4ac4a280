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

// The losses of one function on `rows` scores, which become v_i dl/dz_i. Lanes after the last row weigh nothing.
template <Loss kind, class T>
double one_function(const LossJob<T>& job, std::int64_t start, std::int64_t rows, double* z) {
    double sign[loss_rows], weight[loss_rows], curve[loss_rows];
    for (std::int64_t m = 0; m < rows; ++m) {
        sign[m] = job.codes[start + m] == 1 ? 1.0 : -1.0;
        weight[m] = job.row_weights ? job.row_weights[start + m] : 1.0;
    }
    Doubles loss = splat(0.0), slopes = splat(0.0);
    for (std::int64_t m = 0; m < rows; m += lanes<double>) {
        for (std::int64_t v = rows; v < m + lanes<double>; ++v) z[v] = sign[v] = weight[v] = 0;
        const Doubles v = load<Doubles>(weight + m);
        const LossAt at = loss_at<kind>(load<Doubles>(z + m), load<Doubles>(sign + m), splat(job.mu));
        loss += v * at.value;
        slopes += v * at.slope;
        store(z + m, v * at.slope);
        store(curve + m, v * at.curve);
    }
    if (job.curvature)
        for (std::int64_t m = 0; m < rows; ++m) job.curvature[start + m] = curve[m];
    job.bias_gradient[0] += sum_of(slopes);
    return sum_of(loss);
}

// The softmax loss of one row, whose scores become v dl/dz_k. The largest score is kept out of the sum `rest` of the
// others: log(1 + rest) and rest / (1 + rest) then keep their digits where a row is classified almost surely.
inline double softmax_row(double* z, std::int64_t functions, std::int32_t code, double weight) {
    const std::int32_t top = winner_of(z, functions);
    const double peak = z[top], behind = peak - z[code];
    const std::int64_t end = (functions + lanes<double> - 1) / lanes<double> * lanes<double>;
    for (std::int64_t k = functions; k < end; ++k) z[k] = -__builtin_inf();
    for (std::int64_t k = 0; k < end; k += lanes<double>) store(z + k, exp_of(load<Doubles>(z + k) - peak));
    z[top] = peak - peak;  // zero, or NaN
    Doubles sum = splat(0.0);
    for (std::int64_t k = 0; k < end; k += lanes<double>) sum += load<Doubles>(z + k);
    const double rest = sum_of(sum), share = weight / (1.0 + rest);
    for (std::int64_t k = 0; k < end; k += lanes<double>) store(z + k, load<Doubles>(z + k) * share);
    z[top] = code == top ? -rest * share : share;
    if (code != top) z[code] -= weight;
    return weight * (behind + log1p_of(splat(rest))[0]);
}

// sum_m r[m][h] x[m] for H functions and W vectors of columns, added to `out`.
template <class T, int H, int W>
inline void gradient_tile(const T* x, std::int64_t stride, const double* r, std::int64_t r_stride, std::int64_t rows,
                          std::int64_t ahead, double* out, std::int64_t out_stride) {
    constexpr std::int64_t width = lanes<double>;
    Doubles sum[H][W];
    DISCRIMINANT_UNROLL for (int h = 0; h < H; ++h)
        DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) sum[h][c] = load<Doubles>(out + h * out_stride + c * width);
    for (std::int64_t m = 0; m < rows; ++m) {
        Doubles v[W];
        DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) v[c] = load_doubles(x + m * stride + c * width);
        if constexpr (H == 77)
            DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) __builtin_prefetch(x + ahead + m * stride + c * width, 0, 3);
        DISCRIMINANT_UNROLL for (int h = 0; h < H; ++h) {
            const Doubles weight = splat(r[m * r_stride + h]);
            DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) sum[h][c] += weight * v[c];
        }
    }
    DISCRIMINANT_UNROLL for (int h = 0; h < H; ++h)
        DISCRIMINANT_UNROLL for (int c = 0; c < W; ++c) store(out + h * out_stride + c * width, sum[h][c]);
}

template <class T, int H>
void gradient_strip(const T* x, std::int64_t stride, std::int64_t columns, const double* r, std::int64_t r_stride,
                    std::int64_t rows, std::int64_t ahead, double* out, std::int64_t out_stride) {
    constexpr std::int64_t width = lanes<double>;
    constexpr int W = H == 1 ? 4 : 3;
    std::int64_t j = 0;
    for (; j + W * width <= columns; j += W * width)
        gradient_tile<T, H, W>(x + j, stride, r, r_stride, rows, ahead, out + j, out_stride);
    for (; j + width <= columns; j += width)
        gradient_tile<T, H, 1>(x + j, stride, r, r_stride, rows, ahead, out + j, out_stride);
}

template <class T> double one_function(const LossJob<T>& job, std::int64_t start, std::int64_t rows, double* z) {
    switch (job.loss) {
        case Loss::squared: return one_function<Loss::squared>(job, start, rows, z);
        case Loss::squared_hinge: return one_function<Loss::squared_hinge>(job, start, rows, z);
        case Loss::huber_hinge: return one_function<Loss::huber_hinge>(job, start, rows, z);
        default: return one_function<Loss::logistic>(job, start, rows, z);
    }
}

// The gradient of one function, from the rows as they are; `ahead` is how far on the next rows lie.
template <class T>
void one_gradient(const LossJob<T>& job, const T* x, std::int64_t rows, std::int64_t ahead, const double* r) {
    gradient_strip<T, 1>(x, job.stride, job.d, r, 1, rows, ahead, job.gradient, padded(job.d));
    for (std::int64_t j = job.d / lanes<double> * lanes<double>; j < job.d; ++j) {
        double sum = 0;
        for (std::int64_t m = 0; m < rows; ++m) sum += r[m] * static_cast<double>(x[m * job.stride + j]);
        job.gradient[j] += sum;
    }
}

// Softmax losses of packed rows, and their gradient, a few functions at a time.
template <class T>
double many_functions(const LossJob<T>& job, std::int64_t start, std::int64_t rows, const double* x, double* z) {
    const std::int64_t wide = padded(job.d), columns = padded(job.functions);
    double loss = 0;
    for (std::int64_t m = 0; m < rows; ++m) {
        double* row = z + m * columns;
        loss += softmax_row(row, job.functions, job.codes[start + m],
                            job.row_weights ? job.row_weights[start + m] : 1.0);
        for (std::int64_t k = 0; k < job.functions; ++k) job.bias_gradient[k] += row[k];
    }
    std::int64_t k = 0;
    for (; k + 4 <= job.functions; k += 4)
        gradient_strip<double, 4>(x, wide, wide, z + k, columns, rows, 0, job.gradient + k * wide, wide);
    for (; k < job.functions; ++k)
        gradient_strip<double, 1>(x, wide, wide, z + k, columns, rows, 0, job.gradient + k * wide, wide);
    return loss;
}

template <class T> void pack_doubles(const LossJob<T>& job, const T* x, std::int64_t rows, double* to) {
    for (std::int64_t m = 0; m < rows; ++m, x += job.stride, to += padded(job.d)) {
        for (std::int64_t j = 0; j < job.d; ++j) to[j] = static_cast<double>(x[j]);
        for (std::int64_t j = job.d; j < padded(job.d); ++j) to[j] = 0;
    }
}

template <class T> LossSum loss(const LossJob<T>& job) {
    const bool one = job.functions == 1;
    const std::int64_t wide = padded(job.d), z_stride = one ? 1 : padded(job.functions);
    // One function leaves no time to wait for the second-level cache; many also want long sums in registers.
    const std::int64_t fit = (one ? 3072 : 24576) / wide;
    const std::int64_t tile = 16;
    double* const z = job.workspace;
    double* const packed = job.workspace + loss_rows * padded(job.functions);
    const ScoresJob<T> plain{job.rows, job.n, job.d, job.stride, job.weights, job.bias, 1, nullptr, nullptr, nullptr};
    const ScoresJob<double> many{packed, tile, job.d, wide, job.weights, job.bias, job.functions,
                                 nullptr, nullptr, nullptr};
    LossSum sum{0, -1};
    for (std::int64_t start = 0; start < job.n; start += tile) {
        const std::int64_t rows = job.n - start < tile ? job.n - start : tile;
        const T* x = job.rows + start * job.stride;
        if (one) {
            score_block(plain, x, rows, z, 1);
        } else {
            pack_doubles(job, x, rows, packed);
            score_block(many, packed, rows, z, z_stride);
        }
        for (std::int64_t m = 0; m < rows; ++m) {
            const double* row = z + m * z_stride;
            if (sum.bad < 0 && !all_finite(row, job.functions)) sum.bad = start + m;
            if (job.scores)
                for (std::int64_t k = 0; k < job.functions; ++k) job.scores[(start + m) * job.functions + k] = row[k];
        }
        if (one) {
            sum.loss += one_function(job, start, rows, z);
            one_gradient(job, x, rows, start + 2 * tile <= job.n ? tile * job.stride : 0, z);
        } else {
            sum.loss += many_functions(job, start, rows, packed, z);
        }
    }
    if (sum.bad >= 0) sum.loss = __builtin_nan("");
    return sum;
}

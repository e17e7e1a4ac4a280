// The kinds of rows that the perceptron walks over (contract: discriminant/perceptron.hpp), over the vectors of vector.inl.

// A product that is rounded before anything is added to it: the compiler may not see through this to fuse the two.
#if defined(__x86_64__) || defined(__i386__)
#define DISCRIMINANT_REGISTER "x"
#else
#define DISCRIMINANT_REGISTER "w"
#endif
template <class V> inline V rounded(V product) {
    __asm__("" : "+" DISCRIMINANT_REGISTER(product));
    return product;
}

// Sums of the lanes of several vectors at once: a step adds the halves (then quarters, ...) of two vectors into one.
template <int... I> struct Lanes {};
template <int N, int... I> struct LanesUpTo : LanesUpTo<N - 1, N - 1, I...> {};
template <int... I> struct LanesUpTo<0, I...> {
    using type = Lanes<I...>;
};

template <int step, class V, int... I> inline V fold(V a, V b, Lanes<I...>) {
    constexpr int size = sizeof...(I);
    return __builtin_shufflevector(a, b, (I / step % 2 ? I - step + size : I)...) +
           __builtin_shufflevector(a, b, (I / step % 2 ? I + size : I + step)...);
}

template <int count, int step, class V, class All> [[gnu::always_inline]] inline V fold_all(V* v, All all) {
    if constexpr (count > 1) {
        DISCRIMINANT_UNROLL for (int m = 0; m < count / 2; ++m) v[m] = fold<step>(v[2 * m], v[2 * m + 1], all);
        return fold_all<count / 2, step / 2>(v, all);
    } else if constexpr (step > 0) {
        v[0] = fold<step>(v[0], v[0], all);
        return fold_all<1, step / 2>(v, all);
    } else {
        return v[0];
    }
}

template <class T, int M> [[gnu::always_inline]] inline void sums_of(typename Vector<T>::type* v, double* out) {
    constexpr int size = static_cast<int>(lanes<T>), group = M < size ? M : size;
    for (int first = 0; first < M; first += group) {
        const auto sums = fold_all<group, size / 2>(v + first, typename LanesUpTo<size>::type{});
        for (int m = 0; m < group; ++m) {
            int lane = 0;  // the first step tells even and odd vectors apart by halves of lanes, the next by quarters
            for (int bit = 1, half = size / 2; bit < group; bit *= 2, half /= 2) lane += m & bit ? half : 0;
            out[first + m] = static_cast<double>(sums[lane]);
        }
    }
}

// What the walk asks of a kind of rows: fast nets of several functions with the bound of their rounding, the plain net,
// and a row added to weights.
template <class Rows> class RowsAt;

// Weights are padded with zeros, so a row may be read in whole vectors, into the rows behind it; rows at the very end
// are copied out first.
template <class T> class RowsAt<DenseRows<T>> {
  public:
    using V = typename Vector<T>::type;
    static constexpr std::int64_t width = lanes<T>;
    static constexpr bool shadowed = sizeof(T) == sizeof(float);
    static constexpr double unit = shadowed ? 0x1p-24 : 0x1p-53;
    static constexpr double tiny = shadowed ? 0x1p-149 : 0x1p-1000;  // what underflow takes, and no denormal: those are slow
    static constexpr double refresh = shadowed ? 2 : 64;  // how loose the bound on the weights may grow

    RowsAt(const DenseRows<T>& rows, std::int64_t all)
        : rows_(rows), d_(rows.d), whole_(rows.d / width * width),
          depth_(static_cast<double>(d_ / width + 20) + static_cast<double>(d_) * 0x1p-53 / unit),
          readable_(all - 1 - (rows.d % width ? (width - 1) / rows.stride + 1 : 0)) {
        for (std::int64_t v = 0; v < width; ++v) in_tail_[v] = v < d_ % width ? T(1) : T(0);
    }
    void at(std::int64_t i) {
        x_ = rows_.cells + i * rows_.stride;
        tail_ = V{};
        if (whole_ == d_) return;  // there is none, and maybe no memory behind the row
        if (i <= readable_) tail_ = load<V>(x_ + whole_) * in_tail_;
        else
            for (std::int64_t j = whole_; j < d_; ++j) tail_[j - whole_] = x_[j];
    }
    static constexpr bool makes_products = true;
    // Rows that `four` may read.
    bool readable(std::int64_t i) const { return i <= readable_; }
    std::int64_t ahead() const { return 4 + 8192 / (d_ * (std::int64_t)sizeof(T) + 1); }
    // Rounding errors of a fast and a plain net together are below depth(i) * unit |w| |x|. A product of the fast one
    // goes through one addition for each vector of its part, then through those that join parts and lanes.
    double depth(std::int64_t) const { return depth_; }
    double cells() const { return static_cast<double>(d_); }

    template <int G> void nets(const PerceptronState& state, std::int64_t f, double* out) const {
        const std::int64_t stride = padded(d_);
        const T* const w = fast_weights(state) + f * stride;
        V sum[G][2] = {};
        std::int64_t j = 0;
        for (; j + 2 * width <= whole_; j += 2 * width)
            DISCRIMINANT_UNROLL for (int p = 0; p < 2; ++p) {
                const V x = load<V>(x_ + j + p * width);
                DISCRIMINANT_UNROLL for (int g = 0; g < G; ++g)
                    sum[g][p] += x * load<V>(w + g * stride + j + p * width);
            }
        for (; j < whole_; j += width) {
            const V x = load<V>(x_ + j);
            DISCRIMINANT_UNROLL for (int g = 0; g < G; ++g) sum[g][0] += x * load<V>(w + g * stride + j);
        }
        if (j < d_)
            DISCRIMINANT_UNROLL for (int g = 0; g < G; ++g) sum[g][1] += tail_ * load<V>(w + g * stride + j);
        V both[G];
        DISCRIMINANT_UNROLL for (int g = 0; g < G; ++g) both[g] = sum[g][0] + sum[g][1];
        sums_of<T, G>(both, out);
        for (int g = 0; g < G; ++g) out[g] += state.bias[f + g];
    }

    // Fast nets of all functions for four readable rows (4 x functions), which share the loads of the weights; with
    // `products`, also what the rows make with each other: 01 02 03 12 13 23.
    //
    // Meanwhile the rows numbered `next` are fetched, one in each pass over the four and a cache line at a time: a burst
    // would wait for itself, which only short rows do not mind.
    void four(const std::int64_t* rows, const std::int64_t* next, const PerceptronState& state, double* nets,
              double* products) const {
        const std::int64_t functions = state.functions;
        int pass = 0;
        const auto coming = [&] { return pass < 4 ? next[pass++] : rows[0]; };
        four<0, true, true>(rows, coming(), state, 0, nets, products);
        std::int64_t f = 0;
        for (; f + 4 <= functions; f += 4) four<4, false, true>(rows, coming(), state, f, nets, nullptr);
        for (; f < functions; ++f) four<1, false, true>(rows, coming(), state, f, nets, nullptr);
        while (pass < 4) fetch(next[pass++], 1);
    }

    // The same of a single function, as part of its caller: short rows take no longer than a call.
    [[gnu::always_inline]] void four_of_one(const std::int64_t* rows, const std::int64_t* next,
                                            const PerceptronState& state, double* nets, double* products) const {
        if (next[3] == next[0] + 3) fetch(next[0], 4);
        else
            for (int m = 0; m < 4; ++m) fetch(next[m], 1);
        if (products) four<1, true, false>(rows, 0, state, 0, nets, products);
        else four<1, false, false>(rows, 0, state, 0, nets, nullptr);
    }

    double plain(const double* w, double bias) const {
        double net = 0;
        for (std::int64_t j = 0; j < d_; ++j) net += rounded(static_cast<double>(x_[j]) * w[j]);
        return net + bias;
    }

    // w += c x; the shadow follows, in stores as wide as the loads that come next.
    void add(double c, double* w, float* shadow) const {
        for (std::int64_t j = 0; j < d_; j += width)
            add(j < whole_ ? load<V>(x_ + j) : tail_, splat(c), w + j, shadow ? shadow + j : nullptr);
    }

    double square() const {
        Doubles sum{};
        for (std::int64_t j = 0; j < d_; j += width) sum += square(j < whole_ ? load<V>(x_ + j) : tail_);
        return sum_of(sum) + 1;
    }

  private:
    void fetch(std::int64_t i, std::int64_t rows) const {
        const char* to = reinterpret_cast<const char*>(rows_.cells + i * rows_.stride);
        const char* const end = to + rows * rows_.stride * (std::int64_t)sizeof(T);
        for (; to < end; to += 64) __builtin_prefetch(to, 0, 3);
    }

    template <int G, bool with_products, bool fetching>
    [[gnu::always_inline]] void four(const std::int64_t* rows, std::int64_t coming, const PerceptronState& state, std::int64_t f, double* nets,
              double* products) const {
        const std::int64_t stride = padded(d_);
        const T* const w = fast_weights(state) + f * stride;
        const T* x[4];
        for (int m = 0; m < 4; ++m) x[m] = rows_.cells + rows[m] * rows_.stride;
        const T* const fetched = rows_.cells + coming * rows_.stride;
        V sum[G + 1][4] = {}, pair[8] = {};
        for (std::int64_t j = 0; j < d_; j += width) {
            if constexpr (fetching) __builtin_prefetch(fetched + j, 0, 3);
            V row[4];
            DISCRIMINANT_UNROLL for (int m = 0; m < 4; ++m) row[m] = load<V>(x[m] + j);
            DISCRIMINANT_UNROLL for (int g = 0; g < G; ++g) {
                const V weights = load<V>(w + g * stride + j);
                DISCRIMINANT_UNROLL for (int m = 0; m < 4; ++m) sum[g][m] += row[m] * weights;
            }
            if constexpr (with_products) {
                if (j == whole_) DISCRIMINANT_UNROLL for (int m = 0; m < 3; ++m) row[m] *= in_tail_;
                pair[0] += row[0] * row[1];
                pair[1] += row[0] * row[2];
                pair[2] += row[0] * row[3];
                pair[3] += row[1] * row[2];
                pair[4] += row[1] * row[3];
                pair[5] += row[2] * row[3];
            }
        }
        if constexpr (with_products) sums_of<T, 8>(pair, products);
        DISCRIMINANT_UNROLL for (int g = 0; g < G; ++g) {
            double each[4];
            sums_of<T, 4>(sum[g], each);
            for (int m = 0; m < 4; ++m) nets[m * state.functions + f + g] = each[m] + state.bias[f + g];
        }
    }

    static const double* fast_weights(const PerceptronState& state) requires(!shadowed) { return state.weights; }
    static const float* fast_weights(const PerceptronState& state) requires shadowed { return state.shadow; }

    static void add(Vector<double>::type x, Doubles c, double* w, float*) {
        store(w, load<Doubles>(w) + rounded(x * c));
    }
    static void add(Vector<float>::type x, Doubles c, double* w, float* shadow) {
        const Doubles low = load<Doubles>(w) + rounded(low_half(x) * c);
        const Doubles high = load<Doubles>(w + lanes<double>) + rounded(high_half(x) * c);
        store(w, low);
        store(w + lanes<double>, high);
        if (shadow) store(shadow, joined(low, high));
    }
    static Doubles square(Vector<double>::type x) { return x * x; }
    static Doubles square(Vector<float>::type x) {
        const Doubles low = low_half(x), high = high_half(x);
        return low * low + high * high;
    }

    const DenseRows<T>& rows_;
    const std::int64_t d_, whole_;
    const double depth_;
    const std::int64_t readable_;
    const T* x_ = nullptr;
    V in_tail_, tail_;
};

template <class T> class RowsAt<SparseRows<T>> {
  public:
    static constexpr double unit = 0x1p-53, tiny = 0x1p-1000, refresh = 64;

    RowsAt(const SparseRows<T>& rows, std::int64_t) : rows_(rows) {}
    static constexpr bool makes_products = false;
    bool readable(std::int64_t) const { return true; }
    void at(std::int64_t i) {
        x_ = rows_.cells + rows_.starts[i];
        columns_ = rows_.columns + rows_.starts[i];
        size_ = rows_.starts[i + 1] - rows_.starts[i];
    }
    std::int64_t ahead() const { return 8; }
    double depth(std::int64_t i) const { return 2.0 * static_cast<double>(rows_.starts[i + 1] - rows_.starts[i]) + 8; }
    double cells() const { return static_cast<double>(rows_.d); }

    template <int G> void nets(const PerceptronState& state, std::int64_t f, double* out) const {
        const std::int64_t stride = padded(rows_.d);
        for (int g = 0; g < G; ++g) {
            const double* const w = state.weights + (f + g) * stride;
            double sum[4] = {};
            std::int64_t j = 0;
            for (; j + 4 <= size_; j += 4)
                DISCRIMINANT_UNROLL for (int p = 0; p < 4; ++p)
                    sum[p] += static_cast<double>(x_[j + p]) * w[columns_[j + p]];
            for (; j < size_; ++j) sum[0] += static_cast<double>(x_[j]) * w[columns_[j]];
            out[g] = (sum[0] + sum[1]) + (sum[2] + sum[3]) + state.bias[f + g];
        }
    }

    void four_of_one(const std::int64_t* rows, const std::int64_t* next, const PerceptronState& state, double* out,
                     double* products) {
        four(rows, next, state, out, products);
    }

    void four(const std::int64_t* rows, const std::int64_t* next, const PerceptronState& state, double* out, double*) {
        for (int m = 0; m < 4; ++m) {
            __builtin_prefetch(rows_.cells + rows_.starts[next[m]], 0, 3);
            __builtin_prefetch(rows_.columns + rows_.starts[next[m]], 0, 3);
            at(rows[m]);
            for (std::int64_t f = 0; f < state.functions; ++f) nets<1>(state, f, out + m * state.functions + f);
        }
    }

    double plain(const double* w, double bias) const {
        double net = 0;
        for (std::int64_t j = 0; j < size_; ++j) net += rounded(static_cast<double>(x_[j]) * w[columns_[j]]);
        return net + bias;
    }

    void add(double c, double* w, float*) const {
        for (std::int64_t j = 0; j < size_; ++j) w[columns_[j]] += rounded(static_cast<double>(x_[j]) * c);
    }

    double square() const {
        double sum = 1;
        for (std::int64_t j = 0; j < size_; ++j) sum += static_cast<double>(x_[j]) * static_cast<double>(x_[j]);
        return sum;
    }

  private:
    const SparseRows<T>& rows_;
    const T* x_ = nullptr;
    const std::int32_t* columns_ = nullptr;
    std::int64_t size_ = 0;
};

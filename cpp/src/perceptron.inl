// The perceptron kernel (contract: discriminant/perceptron.hpp), over the vectors of vector.inl.

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

inline double sum_of(Vector<float>::type v) { return sum_of(low_half(v) + high_half(v)); }

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

template <class Rows> class Walk {
  public:
    explicit Walk(const PerceptronJob<Rows>& job)
        : job_(job), rule_(job.rule), state_(job.state), row_(job.rows, job.all), stride_(padded(job.rows.d)) {
        measure();
    }

    // Presents the rows in order.
    Walked run() {
        const bool by_fours = !job_.nets && !rule_.stop_when_right;
        std::int64_t p = 0;
        while (p < job_.n) {
            if (by_fours) p = state_.functions == 1 ? present_by_fours<true>(p) : present_by_fours<false>(p);
            if (p == job_.n) break;
            const std::int64_t i = number(p);
            row_.at(i);
            const bool changed = rule_.together ? present_together(p, i) : present_apart(p, i);
            if (job_.nets) record(p, changed);
            ++p;
            if (rule_.stop_when_right && (changed || p == 1) && all_right(i)) return {p, true};
        }
        return {job_.n, false};
    }

  private:
    std::int64_t number(std::int64_t p) const { return job_.order ? job_.order[job_.first + p] : job_.first + p; }

    double* weights(std::int64_t f) const { return state_.weights + f * stride_; }

    // Presents rows four at a time, and returns the first presentation that is not beyond doubt.
    //
    // The nets of four rows are made at once. After a mistake those behind it change by c (x_i.x_j + 1). These products
    // are made along with the nets, unless a single function makes few mistakes: then the nets are made again.
    template <bool one> std::int64_t present_by_fours(std::int64_t p) {
        const std::int64_t functions = one ? 1 : state_.functions, ahead = row_.ahead();
        std::int64_t rows[4], next[4];
        double products[8], own_nets[4];
        double* const nets = one ? own_nets : job_.workspace + 2 * functions;
        double* const change = job_.workspace + functions;
        // For the row that a single function is right on, by far the commonest case, all is kept in registers.
        const std::int32_t* const codes = job_.codes;
        const std::int32_t positive = job_.positives[0];
        const double* const lengths = job_.lengths;
        const double threshold = rule_.threshold, least = row_.cells() * RowsAt<Rows>::tiny;
        double reach = RowsAt<Rows>::unit * largest_;
        bool many = !one;
        while (p + 4 <= job_.n) {
            bool readable = true;
            for (int q = 0; q < 4; ++q) readable &= row_.readable(rows[q] = number(p + q));
            if (!readable) return p;
            const bool more = p + ahead + 4 <= job_.n;
            for (int q = 0; q < 4; ++q) next[q] = number(more ? p + ahead + q : p + q);
            const bool with_products = RowsAt<Rows>::makes_products && many;
            if constexpr (one) row_.four_of_one(rows, next, state_, nets, with_products ? products : nullptr);
            else row_.four(rows, next, state_, nets, with_products ? products : nullptr);
            many = !one;
            for (int q = 0; q < 4; ++q, ++p) {
                if (one && !state_.runs) {
                    const std::int64_t i = rows[q];
                    const double net = static_cast<double>(2 * (codes[i] == positive) - 1) * nets[q];
                    if (net > threshold + (row_.depth(i) * reach * lengths[i] + least) && net < 1e30) continue;
                }
                const Settled settled = one ? settle_one(p, rows[q], nets[q], change)
                                        : rule_.together ? settle_together(p, rows[q], nets + q * functions, change)
                                                         : settle_apart(p, rows[q], nets + q * functions, change);
                if (settled == Settled::right) continue;
                if (settled == Settled::not_yet) return p;
                reach = RowsAt<Rows>::unit * largest_;
                many = true;
                if (!with_products) {
                    ++p;
                    break;
                }
                for (int r = q + 1; r < 4; ++r) {
                    const double product = products[q == 0 ? r - 1 : q + r] + (rule_.intercept ? 1 : 0);
                    for (std::int64_t f = 0; f < functions; ++f) nets[r * functions + f] += change[f] * product;
                }
            }
        }
        return p;
    }

    // What became of a row given its fast nets; `not_yet` where they lie too near a threshold, and nothing was done.
    enum class Settled { right, changed, not_yet };

    // 1: beyond doubt right, -1: beyond doubt wrong, 0: in doubt. `net` is positive on the target's side.
    int beyond_doubt(double net, double around) const {
        if (!(net < 1e30 && net > -1e30)) return 0;
        return net > rule_.threshold + around ? 1 : net < rule_.threshold - around ? -1 : 0;
    }

    Settled settle_one(std::int64_t p, std::int64_t i, double net, double* change) {
        const double sign = static_cast<double>(2 * (job_.codes[i] == job_.positives[0]) - 1), around = doubt(i);
        net *= sign;
        if (net > rule_.threshold + around && net < 1e30) {
            if (state_.runs) ++state_.runs[0];
            return Settled::right;
        }
        if (!(net < rule_.threshold - around && net > -1e30)) return Settled::not_yet;
        row_.at(i);
        end_of_run();
        ++state_.mistakes[0];
        change[0] = learn(p, i, 0, sign);
        after(true);
        return Settled::changed;
    }

    Settled settle_apart(std::int64_t p, std::int64_t i, const double* nets, double* change) {
        const double around = doubt(i);
        const std::int32_t code = job_.codes[i];
        bool any = false;
        for (std::int64_t f = 0; f < state_.functions; ++f) {
            const double sign = code == job_.positives[f] ? 1 : -1;
            const int found = beyond_doubt(sign * nets[f], around);
            if (found == 0) return Settled::not_yet;
            change[f] = found < 0 ? sign : 0;
            any |= found < 0;
        }
        if (!any) return Settled::right;
        row_.at(i);
        for (std::int64_t f = 0; f < state_.functions; ++f)
            if (change[f] != 0) {
                ++state_.mistakes[f];
                change[f] = learn(p, i, f, change[f]);
            }
        after(true);
        return Settled::changed;
    }

    Settled settle_together(std::int64_t p, std::int64_t i, const double* nets, double* change) {
        const std::int64_t own = job_.codes[i];
        bool certain;
        const Verdict found = judge(nets, own, 2 * doubt(i), &certain);
        if (!certain) return Settled::not_yet;
        if (!found.right) {
            row_.at(i);
            end_of_run();
            ++state_.mistakes[0];
            for (std::int64_t f = 0; f < state_.functions; ++f) change[f] = 0;
            change[found.winner] = learn(p, i, found.winner, -1);
            change[own] = learn(p, i, own, 1);
        }
        after(!found.right);
        return found.right ? Settled::right : Settled::changed;
    }

    // An upper bound on the largest |(w, b)|, exact now and then.
    void measure() {
        largest_ = 0;
        for (std::int64_t f = 0; f < state_.functions; ++f) {
            Doubles sum{};
            for (std::int64_t j = 0; j < stride_; j += lanes<double>) {
                const Doubles w = load<Doubles>(weights(f) + j);
                sum += w * w;
            }
            const double square = sum_of(sum) + state_.bias[f] * state_.bias[f];
            if (!(square <= largest_ * largest_)) largest_ = __builtin_sqrt(square) * (1 + 0x1p-20);
        }
        measured_ = largest_;
        since_ = 0;
    }

    // How far a fast net of row i may lie from the plain one.
    double doubt(std::int64_t i) const {
        return row_.depth(i) * RowsAt<Rows>::unit * largest_ * job_.lengths[i] + row_.cells() * RowsAt<Rows>::tiny;
    }

    void fast_nets(double* out) const {
        std::int64_t f = 0;
        for (; f + 4 <= state_.functions; f += 4) row_.template nets<4>(state_, f, out + f);
        for (; f < state_.functions; ++f) row_.template nets<1>(state_, f, out + f);
    }

    double plain(std::int64_t f) const { return row_.plain(weights(f), state_.bias[f]); }

    void plain_nets(double* out) const {
        for (std::int64_t f = 0; f < state_.functions; ++f) out[f] = plain(f);
    }

    int output(double net) const {
        switch (rule_.zero) {
            case NetOfZero::positive: return net >= 0 ? 1 : -1;
            case NetOfZero::negative: return net > 0 ? 1 : -1;
            default: return net > rule_.threshold ? 1 : net < -rule_.threshold ? -1 : 0;
        }
    }

    // The output of function f for a row, given its fast net.
    int output_of(std::int64_t f, double net, double doubt) const {
        const double size = net < 0 ? -net : net, above = size - rule_.threshold, gap = above < 0 ? -above : above;
        return gap > doubt && size < 1e30 ? output(net) : output(plain(f));
    }

    // What a row asks of functions that learn together.
    struct Verdict {
        bool right;
        std::int64_t winner;  // the class that beat the row's own, or tied with it
    };

    Verdict judge(const double* nets, std::int64_t own, double doubt, bool* certain) const {
        const bool last = rule_.zero == NetOfZero::positive;
        std::int64_t best = own == 0 ? 1 : 0;
        for (std::int64_t k = best + 1; k < state_.functions; ++k)
            if (k != own && (nets[k] > nets[best] || (last && nets[k] == nets[best]))) best = k;
        *certain = nets[own] - nets[best] > doubt || nets[best] - nets[own] > doubt;
        if (nets[best] >= nets[own])
            for (std::int64_t k = 0; k < state_.functions; ++k)
                *certain &= k == best || k == own || nets[best] - nets[k] > doubt;
        for (std::int64_t k = 0; k < state_.functions; ++k) *certain &= nets[k] < 1e30 && nets[k] > -1e30;
        bool right = nets[own] > nets[best];
        if (nets[own] == nets[best] && rule_.zero != NetOfZero::undecided) right = last ? own > best : own < best;
        return {right, best};
    }

    Verdict verdict(double* nets, std::int64_t own, double doubt) const {
        bool certain;
        const Verdict fast = judge(nets, own, 2 * doubt, &certain);
        if (certain) return fast;
        plain_nets(nets);
        return judge(nets, own, 0, &certain);
    }

    double learn(std::int64_t p, std::int64_t i, std::int64_t f, double sign) {
        const double step = rule_.rate * (job_.steps ? job_.steps[i] : 1.0), c = step * sign;
        row_.add(c, weights(f), state_.shadow ? state_.shadow + f * stride_ : nullptr);
        if (rule_.intercept) state_.bias[f] += c;
        if (state_.moved) {
            const double before = (state_.presented + static_cast<double>(p)) * c;
            row_.add(before, state_.moved + f * stride_, nullptr);
            if (rule_.intercept) state_.moved_bias[f] += before;
        }
        largest_ += step * job_.lengths[i] * (1 + 0x1p-20);
        return c;
    }

    void loosen() {
        if (++since_ >= 64 && largest_ > RowsAt<Rows>::refresh * measured_) measure();
    }

    bool present_apart(std::int64_t p, std::int64_t i) {
        double* const nets = job_.workspace;
        const double around = doubt(i);
        if (job_.nets) plain_nets(nets);
        else fast_nets(nets);
        bool changed = false;
        for (std::int64_t f = 0; f < state_.functions; ++f) {
            const int target = job_.codes[i] == job_.positives[f] ? 1 : -1;
            if (output_of(f, nets[f], around) == target) continue;
            if (!changed) end_of_run();
            changed = true;
            ++state_.mistakes[f];
            learn(p, i, f, target);
        }
        after(changed);
        return changed;
    }

    bool present_together(std::int64_t p, std::int64_t i) {
        double* const nets = job_.workspace;
        if (job_.nets) plain_nets(nets);
        else fast_nets(nets);
        const std::int64_t own = job_.codes[i];
        const Verdict found = verdict(nets, own, doubt(i));
        if (!found.right) {
            end_of_run();
            ++state_.mistakes[0];
            learn(p, i, found.winner, -1);
            learn(p, i, own, 1);
        }
        after(!found.right);
        return !found.right;
    }

    void after(bool changed) {
        if (changed) loosen();
        if (state_.runs) state_.runs[0] = changed ? 0 : state_.runs[0] + 1;
    }

    // Before the weights change: those that made the longest run are kept.
    void end_of_run() {
        if (!state_.runs || state_.runs[0] <= state_.runs[1]) return;
        state_.runs[1] = state_.runs[0];
        for (std::int64_t j = 0; j < state_.functions * stride_; ++j) state_.longest[j] = state_.weights[j];
        for (std::int64_t f = 0; f < state_.functions; ++f) state_.longest_bias[f] = state_.bias[f];
    }

    void record(std::int64_t p, bool changed) const {
        const std::int64_t d = job_.rows.d;
        job_.changed[p] = changed;
        for (std::int64_t f = 0; f < state_.functions; ++f) {
            job_.nets[p * state_.functions + f] = job_.workspace[f];
            double* const to = job_.after + (p * state_.functions + f) * (d + 1);
            for (std::int64_t j = 0; j < d; ++j) to[j] = weights(f)[j];
            to[d] = state_.bias[f];
        }
    }

    bool is_right(std::int64_t i) {
        double* const nets = job_.workspace + state_.functions;
        row_.at(i);
        fast_nets(nets);
        if (rule_.together) return verdict(nets, job_.codes[i], doubt(i)).right;
        return output_of(0, nets[0], doubt(i)) == (job_.codes[i] == job_.positives[0] ? 1 : -1);
    }

    // Looks first where a wrong row was found before: it mostly is so still.
    bool all_right(std::int64_t i) {
        if (wrong_ >= 0 && !is_right(wrong_)) return false;
        for (std::int64_t p = 0; p < job_.all; ++p) {
            const std::int64_t next = (i + p) % job_.all;
            if (!(job_.steps && job_.steps[next] == 0) && !is_right(next)) {
                wrong_ = next;
                return false;
            }
        }
        return true;
    }

    const PerceptronJob<Rows>& job_;
    const PerceptronRule rule_;
    const PerceptronState& state_;
    RowsAt<Rows> row_;
    const std::int64_t stride_;
    double largest_ = 0, measured_ = 0;
    std::int64_t since_ = 0, wrong_ = -1;
};

template <class Rows> Walked perceptron(const PerceptronJob<Rows>& job) { return Walk<Rows>(job).run(); }

template <class Rows> void lengths(const LengthsJob<Rows>& job) {
    RowsAt<Rows> row(job.rows, job.n);
    for (std::int64_t i = 0; i < job.n; ++i) {
        row.at(i);
        job.lengths[i] = __builtin_sqrt(row.square());
    }
}

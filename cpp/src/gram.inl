// The Gram kernel (contract: discriminant/gram.hpp), over the vectors of vector.inl.
//
// Layout of a packed block: panel p holds columns p*V .. p*V+V-1 of all packed rows, one vector a row, so that a tile
// reads its operands as consecutive streams. A tile multiplies `tile_height` columns of one panel, broadcast, with
// `W` whole panels. Only panels on or right of the diagonal are visited.

template <class T> constexpr std::int64_t tile_height = lanes<T> < 8 ? lanes<T> : (lanes<double> < 8 ? 4 : 8);

// Elements from one panel to the next: one vector more than the rows, or the same row of every panel would fall into
// the same set of the cache.
template <class T> constexpr std::int64_t gram_panel = (gram_rows + 1) * lanes<T>;

inline void add_to(double* to, Vector<double>::type y) { store(to, load<Doubles>(to) + y); }
inline void add_to(double* to, Vector<float>::type y) {
    add_to(to, low_half(y));
    add_to(to + lanes<double>, high_half(y));
}

// The rows that will be packed next, fetched while tiles compute: packing waits for memory, so the two would otherwise
// take turns. One cache line for each step of a tile; fetched in bursts, lines wait for each other and the tile for them.
template <class T> struct NextRows {
    const char* at;
    std::int64_t lines;

    NextRows(const GramJob<T>& job, std::int64_t start) {
        const std::int64_t left = job.order || start >= job.n ? 0 : job.n - start;
        const std::int64_t rows = left < gram_rows ? left : gram_rows;
        at = reinterpret_cast<const char*>(job.rows + (left ? start * job.stride : 0));
        lines = rows * job.stride * static_cast<std::int64_t>(sizeof(T)) / line + 1;
    }
    // Bytes from one fetch to the next during a tile of so many steps; when all is fetched, none.
    std::int64_t stride(std::int64_t steps) {
        if (lines <= 0) return 0;
        lines -= steps;
        return line;
    }

    static constexpr std::int64_t line = 64;
};

enum class Flush { along, across };  // add the tile to `out` as it lies, or transposed

template <class T, int H, int W, Flush flush = Flush::along>
inline void gram_tile(const T* left, const T* right, std::int64_t rows, double* out, std::int64_t stride,
                      NextRows<T>& next) {
    using V = typename Vector<T>::type;
    constexpr std::int64_t width = lanes<T>;
    constexpr std::int64_t panel = gram_panel<T>;
    V sum[H][W] = {};
    const std::int64_t fetch_stride = next.stride(rows);
    for (std::int64_t r = 0; r < rows; ++r, next.at += fetch_stride) {
        __builtin_prefetch(next.at, 0, 2);
        V b[W];
        DISCRIMINANT_UNROLL for (int j = 0; j < W; ++j) b[j] = load<V>(right + j * panel + r * width);
        DISCRIMINANT_UNROLL for (int i = 0; i < H; ++i) {
            const V a = splat(left[r * width + i]);
            DISCRIMINANT_UNROLL for (int j = 0; j < W; ++j) sum[i][j] += a * b[j];
        }
    }
    DISCRIMINANT_UNROLL for (int i = 0; i < H; ++i)
        DISCRIMINANT_UNROLL for (int j = 0; j < W; ++j) {
            if constexpr (flush == Flush::along)
                add_to(out + i * stride + j * width, sum[i][j]);
            else
                for (std::int64_t v = 0; v < width; ++v) out[(j * width + v) * stride + i] += sum[i][j][v];
        }
}

// One strip: H columns of a left panel against right panels [from, to).
template <class T, int H, Flush flush>
inline void gram_strip(const GramJob<T>& job, const T* left, std::int64_t from, std::int64_t to, std::int64_t rows,
                       double* out, std::int64_t out_step, NextRows<T>& next) {
    const std::int64_t stride = padded(job.d);
    const T* right = job.workspace;
    std::int64_t b = from;
    for (; b + 3 <= to; b += 3)
        gram_tile<T, H, 3, flush>(left, right + b * gram_panel<T>, rows, out + b * out_step, stride, next);
    if (b + 2 == to) gram_tile<T, H, 2, flush>(left, right + b * gram_panel<T>, rows, out + b * out_step, stride, next);
    if (b + 1 == to) gram_tile<T, H, 1, flush>(left, right + b * gram_panel<T>, rows, out + b * out_step, stride, next);
}

template <class T> void gram_triangle(const GramJob<T>& job, std::int64_t rows, std::int64_t next_start) {
    constexpr std::int64_t width = lanes<T>;
    constexpr int H = static_cast<int>(tile_height<T>);
    constexpr int half = H > 4 ? H / 2 : H;
    const std::int64_t whole = job.d / width, stride = padded(job.d);
    NextRows<T> next(job, next_start);
    for (std::int64_t a = 0; a < whole; ++a)
        for (std::int64_t h = 0; h < width; h += H)
            gram_strip<T, H, Flush::along>(job, job.workspace + a * gram_panel<T> + h, a, whole, rows,
                                           job.scatter + (a * width + h) * stride, width, next);
    // The columns of a last panel that is not full: broadcast against all panels, so that its empty lanes cost nothing.
    const T* last = job.workspace + whole * gram_panel<T>;
    const std::int64_t panels = (job.d + width - 1) / width;
    for (std::int64_t h = whole * width; h < job.d; h += half, last += half)
        gram_strip<T, half, Flush::across>(job, last, 0, panels, rows, job.scatter + h, width * stride, next);
}

template <class T> inline T* class_sums(const GramJob<T>& job) {
    return job.workspace + (gram_rows + 1) * padded(job.d);
}

// One row's cells centred and scaled into slot `slot` of every panel, and into its class sum.
template <class T> inline void pack_row(const GramJob<T>& job, std::int64_t row, std::int64_t slot) {
    using V = typename Vector<T>::type;
    constexpr std::int64_t width = lanes<T>;
    const std::int64_t k = job.codes ? job.codes[row] : 0, whole = job.d / width * width;
    const double weight = job.weights ? job.weights[row] : 1.0;
    const T* x = job.rows + row * job.stride;
    const T* centre = job.centre + k * padded(job.d);
    T* sums = class_sums(job) + k * padded(job.d);
    const V root = splat(static_cast<T>(__builtin_sqrt(weight)));
    job.totals[k] += weight;
    T* to = job.workspace + slot * width;
    const auto place = [&](std::int64_t j, V cell) {
        const V y = (cell - load<V>(centre + j)) * load<V>(job.scale + j);
        const V rooted = y * root;
        store(to, rooted);
        store(sums + j, load<V>(sums + j) + rooted * root);
        to += gram_panel<T>;
    };
    for (std::int64_t j = 0; j < whole; j += width) place(j, load<V>(x + j));
    if (whole < job.d) {  // never read past the row: the rest of the last vector is the centre, and becomes zero
        V cell = load<V>(centre + whole);
        for (std::int64_t v = whole; v < job.d; ++v) cell[v - whole] = x[v];
        place(whole, cell);
    }
}

// Class sums are gathered in T next to the packed rows and moved to double now and then: often enough for float to
// keep its digits, seldom enough to cost little for many classes.
template <class T> void flush_sums(const GramJob<T>& job) {
    T* part = class_sums(job);
    for (std::int64_t i = 0; i < job.classes * padded(job.d); i += lanes<T>) {
        add_to(job.sums + i, load<typename Vector<T>::type>(part + i));
        store(part + i, typename Vector<T>::type{});
    }
}

template <class T> void gram(const GramJob<T>& job) {
    const std::int64_t often = gram_rows * (4 + job.classes / gram_rows);
    for (std::int64_t i = 0; i < job.classes * padded(job.d); ++i) class_sums(job)[i] = 0;
    for (std::int64_t start = 0; start < job.n; start += gram_rows) {
        const std::int64_t rows = job.n - start < gram_rows ? job.n - start : gram_rows;
        for (std::int64_t r = 0; r < rows; ++r)
            pack_row(job, job.order ? job.order[start + r] : start + r, r);
        if (job.scatter) gram_triangle(job, rows, start + rows);
        if ((start + gram_rows) % often == 0 || start + gram_rows >= job.n) flush_sums(job);
    }
}

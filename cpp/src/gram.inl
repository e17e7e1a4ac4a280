// The Gram kernel (contract: discriminant/gram.hpp), over the vectors of vector.inl.
//
// Layout of a packed block: panel p holds columns p*V .. p*V+V-1 of all packed rows, one vector a row, so that a tile
// reads its operands as consecutive streams. A tile multiplies `tile_height` columns of one panel, broadcast, with
// `W` whole panels. Only panels on or right of the diagonal are visited.

template <class T> constexpr std::int64_t tile_height = lanes<T> < 8 ? lanes<T> : (lanes<double> < 8 ? 4 : 8);

template <class T, int H, int W>
inline void gram_tile(const T* left, const T* right, std::int64_t rows, double* out, std::int64_t stride) {
    using V = typename Vector<T>::type;
    constexpr std::int64_t width = lanes<T>;
    constexpr std::int64_t panel = gram_rows * width;
    V sum[H][W] = {};
    for (std::int64_t r = 0; r < rows; ++r) {
        V b[W];
        for (int j = 0; j < W; ++j) b[j] = load<V>(right + j * panel + r * width);
        for (int i = 0; i < H; ++i) {
            const V a = splat(left[r * width + i]);
            for (int j = 0; j < W; ++j) sum[i][j] += a * b[j];
        }
    }
    for (int i = 0; i < H; ++i)
        for (int j = 0; j < W; ++j) {
            T part[width];
            store(part, sum[i][j]);
            double* to = out + i * stride + j * width;
            for (std::int64_t v = 0; v < width; v += lanes<double>)
                store(to + v, load<Doubles>(to + v) + load_doubles(part + v));
        }
}

template <class T> void gram_triangle(const GramJob<T>& job, std::int64_t rows) {
    constexpr std::int64_t width = lanes<T>;
    constexpr std::int64_t panel = gram_rows * width;
    constexpr int H = static_cast<int>(tile_height<T>);
    const std::int64_t panels = (job.d + width - 1) / width, stride = padded(job.d);
    for (std::int64_t a = 0; a < panels; ++a)
        for (std::int64_t h = 0; h < width; h += H) {
            const T* left = job.workspace + a * panel + h;
            double* out = job.scatter + (a * width + h) * stride;
            std::int64_t b = a;
            for (; b + 3 <= panels; b += 3)
                gram_tile<T, H, 3>(left, job.workspace + b * panel, rows, out + b * width, stride);
            if (b + 2 == panels)
                gram_tile<T, H, 2>(left, job.workspace + b * panel, rows, out + b * width, stride);
            else if (b + 1 == panels)
                gram_tile<T, H, 1>(left, job.workspace + b * panel, rows, out + b * width, stride);
        }
}

template <class T> inline void pack_row(const GramJob<T>& job, std::int64_t row, std::int64_t slot) {
    using V = typename Vector<T>::type;
    constexpr std::int64_t width = lanes<T>;
    constexpr std::int64_t panel = gram_rows * width;
    const std::int64_t d = job.d, k = job.codes ? job.codes[row] : 0;
    const double weight = job.weights ? job.weights[row] : 1.0;
    const T* x = job.rows + row * job.stride;
    const T* centre = job.centre + k * padded(d);
    double* sums = job.sums + k * padded(d);
    const V root = splat(static_cast<T>(__builtin_sqrt(weight)));
    const Doubles w = splat(weight);
    job.totals[k] += weight;
    T* to = job.workspace + slot * width;
    for (std::int64_t j = 0; j < d; j += width, to += panel) {
        V cell;
        if (j + width <= d) {
            cell = load<V>(x + j);
        } else {  // never read past the row: fill the last vector with the centre, which becomes zero
            cell = load<V>(centre + j);
            for (std::int64_t v = 0; v < d - j; ++v) cell[v] = x[j + v];
        }
        const V y = (cell - load<V>(centre + j)) * load<V>(job.scale + j);
        store(to, y * root);
        T part[width];
        store(part, y);
        for (std::int64_t v = 0; v < width; v += lanes<double>)
            store(sums + j + v, load<Doubles>(sums + j + v) + w * load_doubles(part + v));
    }
}

template <class T> void gram(const GramJob<T>& job) {
    for (std::int64_t start = 0; start < job.n; start += gram_rows) {
        const std::int64_t rows = job.n - start < gram_rows ? job.n - start : gram_rows;
        for (std::int64_t r = 0; r < rows; ++r)
            pack_row(job, job.order ? job.order[start + r] : start + r, r);
        if (job.scatter) gram_triangle(job, rows);
    }
}

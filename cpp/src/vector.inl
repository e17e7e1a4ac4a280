// Vectors of the width that the including file was compiled for. Everything below is in that file's own namespace:
// two instruction sets never share an inline function, so the linker cannot hand wide code to a narrow machine.

// Loops over the registers of a tile must be unrolled for the tile to live in registers; the compiler's own judgement
// spills some shapes to the stack.
#define DISCRIMINANT_UNROLL _Pragma("GCC unroll 16")

template <class T> struct Vector;
template <> struct Vector<double> {
    typedef double type __attribute__((vector_size(DISCRIMINANT_VECTOR_BYTES)));
};
template <> struct Vector<float> {
    typedef float type __attribute__((vector_size(DISCRIMINANT_VECTOR_BYTES)));
};

typedef float HalfFloats __attribute__((vector_size(DISCRIMINANT_VECTOR_BYTES / 2)));

using Doubles = Vector<double>::type;

template <class T> constexpr std::int64_t lanes = DISCRIMINANT_VECTOR_BYTES / sizeof(T);

template <class V, class T> inline V load(const T* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof(V));
    return v;
}

template <class V, class T> inline void store(T* to, V v) { __builtin_memcpy(to, &v, sizeof(V)); }

template <class T> inline typename Vector<T>::type splat(T value) {
    return value - typename Vector<T>::type{};  // broadcasts; x - 0 is x, also for -0.0
}

// lanes<double> consecutive values as doubles.
inline Doubles load_doubles(const double* from) { return load<Doubles>(from); }
inline Doubles load_doubles(const float* from) {
    return __builtin_convertvector(load<HalfFloats>(from), Doubles);
}

// The two halves of a vector of floats as doubles. Written as shuffles: through memory or a cast, the compiler puts the
// whole tile that the vector belongs to on the stack.
#if DISCRIMINANT_VECTOR_BYTES == 64
#define DISCRIMINANT_LOW 0, 1, 2, 3, 4, 5, 6, 7
#define DISCRIMINANT_HIGH 8, 9, 10, 11, 12, 13, 14, 15
#elif DISCRIMINANT_VECTOR_BYTES == 32
#define DISCRIMINANT_LOW 0, 1, 2, 3
#define DISCRIMINANT_HIGH 4, 5, 6, 7
#else
#define DISCRIMINANT_LOW 0, 1
#define DISCRIMINANT_HIGH 2, 3
#endif
inline Doubles low_half(Vector<float>::type v) {
    return __builtin_convertvector(__builtin_shufflevector(v, v, DISCRIMINANT_LOW), Doubles);
}
inline Doubles high_half(Vector<float>::type v) {
    return __builtin_convertvector(__builtin_shufflevector(v, v, DISCRIMINANT_HIGH), Doubles);
}

inline Vector<float>::type joined(Doubles low, Doubles high) {
    return __builtin_shufflevector(__builtin_convertvector(low, HalfFloats), __builtin_convertvector(high, HalfFloats),
                                   DISCRIMINANT_LOW, DISCRIMINANT_HIGH);
}

inline double sum_of(Doubles v) {
#if DISCRIMINANT_VECTOR_BYTES == 64
    v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
#elif DISCRIMINANT_VECTOR_BYTES == 32
    v += __builtin_shufflevector(v, v, 2, 3, 0, 1);
#endif
    return v[0] + v[1];
}

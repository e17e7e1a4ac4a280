// What the tests of the kernels share. A test is a program: it prints how many cases it tried, and fails if one failed.
#pragma once

#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "discriminant/kernels.hpp"

inline long cases = 0, failures = 0;
inline char now[200];  // the case being tried, for the message when it fails

inline void try_case(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(now, sizeof now, format, arguments);
    va_end(arguments);
    ++cases;
}

#define CHECK(condition)                                                                            \
    do {                                                                                            \
        if (!(condition) && ++failures <= 20)                                                       \
            std::printf("%s:%d: %s: not true: %s\n", __FILE__, __LINE__, now, #condition);          \
    } while (false)

#define CHECK_NEAR(got, want, allowed)                                                              \
    do {                                                                                            \
        const long double got_ = (got), want_ = (want), allowed_ = (allowed);                       \
        if (!(std::fabs(got_ - want_) <= allowed_) && ++failures <= 20)                             \
            std::printf("%s:%d: %s: %s is %.17Lg, not %.17Lg (off by %.2Lg, allowed %.2Lg)\n",      \
                        __FILE__, __LINE__, now, #got, got_, want_, got_ - want_, allowed_);        \
    } while (false)

template <class T> constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();
template <class T> constexpr long double rounding = std::numeric_limits<T>::epsilon();

// Numbers that are the same in every run.
class Random {
  public:
    std::uint64_t bits() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return state_ >> 33;
    }
    std::int64_t below(std::int64_t end) { return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(end)); }
    bool coin() { return below(2) == 1; }
    double normal() {  // near enough: a sum of four
        double sum = 0;
        for (int i = 0; i < 4; ++i) sum += static_cast<double>(bits()) / 2147483648.0 - 0.5;
        return sum * 1.7;
    }
    double weight() { return below(4) == 0 ? 0 : static_cast<double>(below(1000)) / 300; }

  private:
    std::uint64_t state_ = 42;
};

// A buffer aligned no better than its type, between cells that a kernel must leave alone. Under the address sanitizer
// there are none behind it: it then reports reads too.
template <class T> class Guarded {
  public:
    explicit Guarded(std::int64_t size, T value = nan_of<T>)
        : cells_(static_cast<std::size_t>(before + size + behind), guard), size_(size) {
        for (std::int64_t i = 0; i < size; ++i) data()[i] = value;
    }
    T* data() { return cells_.data() + before; }
    T& operator[](std::int64_t i) { return data()[i]; }
    std::int64_t size() const { return size_; }
    bool intact() const {
        for (std::int64_t i = 0; i < before; ++i)
            if (cells_[static_cast<std::size_t>(i)] != guard) return false;
        for (std::size_t i = static_cast<std::size_t>(before + size_); i < cells_.size(); ++i)
            if (cells_[i] != guard) return false;
        return true;
    }
    bool same_bits(Guarded& other) {
        return size_ == 0 || std::memcmp(data(), other.data(), static_cast<std::size_t>(size_) * sizeof(T)) == 0;
    }

  private:
#ifdef __SANITIZE_ADDRESS__
    static constexpr std::int64_t before = 1, behind = 0;
#else
    static constexpr std::int64_t before = 33, behind = 33;
#endif
    static constexpr T guard = static_cast<T>(-7777);
    std::vector<T> cells_;
    std::int64_t size_;
};

// n rows of d cells; the cells between one row and the next are not numbers.
template <class T> Guarded<T> random_rows(Random& random, std::int64_t n, std::int64_t d, std::int64_t stride) {
    Guarded<T> rows(n == 0 ? 0 : (n - 1) * stride + d);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < d; ++j) rows[i * stride + j] = static_cast<T>(random.normal());
    return rows;
}

// The weights of linear functions in the layout that the scores kernel reads. Cells that pad it are not numbers.
class Functions {
  public:
    Functions(Random& random, std::int64_t d, std::int64_t count)
        : weights(narrow(count) ? count * d : d * discriminant::padded(count)), bias(discriminant::padded(count)),
          d_(d), count_(count) {
        for (std::int64_t k = 0; k < count; ++k) {
            bias[k] = random.normal();
            for (std::int64_t j = 0; j < d; ++j) at(k, j) = random.normal();
        }
    }
    double& at(std::int64_t k, std::int64_t j) {
        return narrow(count_) ? weights[k * d_ + j] : weights[j * discriminant::padded(count_) + k];
    }
    Guarded<double> weights, bias;

  private:
    static bool narrow(std::int64_t count) { return count <= discriminant::scores_narrow; }
    std::int64_t d_, count_;
};

// The score of function k on a row, and the sum of the sizes of its terms, which scales its error.
template <class T>
long double score_of(Functions& functions, const T* x, std::int64_t d, std::int64_t k, long double* size) {
    long double sum = functions.bias[k];
    *size = std::fabs(sum);
    for (std::int64_t j = 0; j < d; ++j) {
        const long double term = static_cast<long double>(x[j]) * functions.at(k, j);
        sum += term;
        *size += std::fabs(term);
    }
    return sum;
}

template <class Test> void on_every_instruction_set(Test test) {
    int count;
    const discriminant::Kernels* const* tables = discriminant::runnable(&count);
    for (int i = 0; i < count; ++i) {
        CHECK(discriminant::use(tables[i]->name));
        test(tables[i]->name);
    }
    CHECK(!discriminant::use("abacus"));
}

inline int finish(const char* name) {
    std::printf("%s: %ld cases, %ld failures\n", name, cases, failures);
    return failures == 0 && cases > 0 ? 0 : 1;
}

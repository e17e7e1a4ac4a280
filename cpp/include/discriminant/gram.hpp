// Kernel 1: the weighted, centred and scaled Gram matrix of a block of rows, with its class sums.
//
// For every row i of class k = codes[i], with y = (x_i - centre_k) * scale, it adds
//     w_i          to totals[k],
//     w_i y        to sums[k],
//     w_i y y'     to the upper triangle of scatter; what lies below the diagonal means nothing.
// Rows are packed a few hundred at a time into panels one vector wide; each tile of the triangle is a short sum in
// registers. float rows are multiplied in float and added up in double from one packed block to the next.
//
// The caller owns every buffer. `workspace` holds gram_workspace(d, classes) elements. Nothing is allocated, nothing
// throws.
#pragma once

#include <cstdint>

namespace discriminant {

// Columns of every padded buffer come in multiples of this, whatever the instruction set, so that buffers are
// interchangeable. It is the number of floats in the widest vector.
inline constexpr std::int64_t lane_columns = 16;

inline constexpr std::int64_t padded(std::int64_t d) {
    return (d + lane_columns - 1) / lane_columns * lane_columns;
}

// Rows packed at a time: four panels of doubles just fill the first-level cache.
inline constexpr std::int64_t gram_rows = 192;

template <class T>
struct GramJob {
    const T* rows;               // n x d, row i starts at rows + i * stride
    std::int64_t n, d, stride, classes;
    const std::int64_t* order;   // n row numbers to visit, or null for 0 .. n-1
    const std::int32_t* codes;   // the class of each row (not of each visit), or null: all of class 0
    const double* weights;       // the weight >= 0 of each row, or null: all 1
    const T* centre;             // K x padded(d)
    const T* scale;              // padded(d)
    double* totals;              // K
    double* sums;                // K x padded(d)
    double* scatter;             // padded(d) x padded(d), or null: class sums only
    T* workspace;
};

inline constexpr std::int64_t gram_workspace(std::int64_t d, std::int64_t classes) {
    return (gram_rows + 1 + classes) * padded(d);
}

}  // namespace discriminant

// Kernel 3: the loss of linear functions on a block of rows and its gradient, in one read of the rows.
//
// With z_ik = x_i'w_k + b_k, v_i the weight of row i, and s_i = 1 where codes[i] is 1, else -1, it adds
//     sum_i v_i dl/dz_ik x_i   to gradient,
//     sum_i v_i dl/dz_ik       to bias_gradient,
// and returns sum_i v_i l_i. Where asked it also writes z_ik, and v_i d2l/dz2 of one function. The losses l:
//     logistic        log(1 + exp(-s z))
//     squared         (z - s)^2 / 2
//     squared_hinge   max(0, 1 - s z)^2
//     huber_hinge     0 where s z >= 1, (1 - s z)^2 / 2 mu where 0 <= 1 - s z <= mu, 1 - s z - mu / 2 beyond
//     softmax         log(sum_k exp z_k) - z_codes[i]; the only one of several functions, and of no single one
//
// Rows are taken a few dozen at a time, so few that the gradient finds them in the cache after the scores have read
// them. Products and sums are in double whatever the rows are. exp and log keep relative accuracy for any finite z.
//
// A score that is not finite makes the sum NaN, so a finite sum proves finite rows; `bad` is the first row with such a
// score, or -1, and tells bad rows from a loss that is merely too large for a double.
//
// The caller owns every buffer. Nothing is allocated, nothing throws.
#pragma once

#include <cstdint>

#include "discriminant/gram.hpp"

namespace discriminant {

enum class Loss { logistic, squared, squared_hinge, huber_hinge, softmax };

inline constexpr std::int64_t loss_rows = 48;  // rows taken at a time, at most

template <class T>
struct LossJob {
    const T* rows;               // n x d, row i starts at rows + i * stride
    std::int64_t n, d, stride;
    const std::int32_t* codes;   // n: 0 .. functions-1, or 0 and 1 for one function
    const double* row_weights;   // n, or null: all 1
    const double* weights;       // of the functions, laid out as for the scores kernel
    const double* bias;          // padded(functions)
    std::int64_t functions;
    Loss loss;
    double mu;                   // > 0: the width of huber_hinge; the others ignore it
    double* gradient;            // functions x padded(d)
    double* bias_gradient;       // functions
    double* scores;              // n x functions, or null
    double* curvature;           // n, or null; null for softmax
    double* workspace;           // loss_workspace(d, functions)
};

struct LossSum {
    double loss;
    std::int64_t bad;
};

inline constexpr std::int64_t loss_workspace(std::int64_t d, std::int64_t functions) {
    return loss_rows * (padded(d) + 2 * padded(functions));
}

}  // namespace discriminant

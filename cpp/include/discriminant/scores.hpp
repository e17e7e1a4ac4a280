// Kernel 2: the scores x_i'w_k + b_k of a block of rows, written out or only their winners.
//
// Products and sums are in double whatever the rows are. A cell of x that is not finite makes every score of its row
// not finite (inf * 0 is NaN), so the return value, the first row with such a score or -1, is also the check of the
// input: finite scores prove finite rows at no cost.
//
// The caller owns every buffer. Nothing is allocated, nothing throws.
#pragma once

#include <cstdint>

namespace discriminant {

inline constexpr std::int64_t scores_rows = 12;  // rows that share one load of the weights, at most

// Up to this many functions a row is read as one dot product each; above, functions lie along the vector.
inline constexpr std::int64_t scores_narrow = 3;

template <class T>
struct ScoresJob {
    const T* rows;              // n x d, row i starts at rows + i * stride
    std::int64_t n, d, stride;
    const double* weights;      // functions <= scores_narrow: functions x d; else d x padded(functions)
    const double* bias;         // padded(functions)
    std::int64_t functions;
    double* scores;             // n x functions, or null
    std::int32_t* winners;      // n, or null: the first largest score; of a single function, 1 where it is > 0
    double* workspace;          // scores_workspace(d, functions)
};

inline constexpr std::int64_t scores_workspace(std::int64_t d, std::int64_t functions) {
    return scores_rows * (d + (functions + 15) / 16 * 16);
}

}  // namespace discriminant

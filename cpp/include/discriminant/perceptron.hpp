// Kernel 4: the perceptron, row after row.
//
// The meaning is that of the plain loop: the net of a row is x_1 w_1 + x_2 w_2 + ... from left to right, then + b, every
// product and sum rounded to double; a mistake adds (step t) x_j, rounded, to w_j. Every decision and every weight has
// the bits of that loop. The kernel computes nets in whichever order is fast, and where such a net lies so near a
// threshold that its rounding could matter, it computes the plain one.
//
// Functions either learn apart from each other (function f tells the class positives[f] from all others) or together
// (function k scores class k; a mistake moves the right class and the one that beat it).
//
// The caller owns every buffer. Nothing is allocated, nothing throws.
#pragma once

#include <cstdint>

#include "discriminant/gram.hpp"

namespace discriminant {

enum class NetOfZero : std::int32_t { undecided, positive, negative };

template <class T>
struct DenseRows {
    using Cell = T;
    const T* cells;  // row i starts at cells + i * stride
    std::int64_t d, stride;
};

template <class T>
struct SparseRows {  // compressed rows; the columns of a row ascend
    using Cell = T;
    const T* cells;
    const std::int32_t* columns;
    const std::int64_t* starts;  // one more than there are rows
    std::int64_t d;
};

struct PerceptronRule {
    double rate;
    double threshold;  // of the dead zone: nets from -threshold to threshold decide nothing; 0 unless `undecided`
    NetOfZero zero;    // several functions together: undecided: a tie is a mistake; else the last or first class wins it
    bool intercept;    // whether b is learned
    bool together;
    bool stop_when_right;  // end as soon as all rows are right; one function, or functions together
};

// Functions: weights is functions x padded(d), zero in the padding.
struct PerceptronState {
    std::int64_t functions;
    double* weights;
    double* bias;
    float* shadow;           // the weights as floats, for rows of floats
    std::int64_t* mistakes;  // one for each function, or a single one when together
    double* moved;           // functions x padded(d), or null: sum of (presentations before it) x (every change)
    double* moved_bias;
    double presented;        // before this call
    std::int64_t* runs;      // 2, or null: the length of the run of right rows in hand, and of the longest
    double* longest;         // functions x padded(d): the weights that made the longest run
    double* longest_bias;
};

template <class Rows>
struct PerceptronJob {
    Rows rows;
    std::int64_t all;           // rows
    std::int64_t first, n;      // which to present: `first` and the n - 1 after it,
    const std::int64_t* order;  // or, unless null, order[first] and the n - 1 after that
    const std::int32_t* codes;
    const double* steps;        // the weight of each row, or null: all 1; rows presented weigh more than 0
    const double* lengths;      // sqrt(|x|^2 + 1) of each row
    const std::int32_t* positives;
    PerceptronRule rule;
    PerceptronState state;
    double* nets;               // n x functions, or null: the plain net of every presentation ...
    std::int8_t* changed;       // n: ... whether it changed a weight ...
    double* after;              // n x functions x (d + 1): ... and the weights after it, b last
    double* workspace;          // 6 x functions
};

struct Walked {
    std::int64_t presented;
    bool all_right;  // with stop_when_right: every row is right now
};

// sqrt(|x|^2 + 1) of n rows into `lengths`; not finite where the row is not.
template <class Rows>
struct LengthsJob {
    Rows rows;
    std::int64_t n;
    double* lengths;
};

}  // namespace discriminant

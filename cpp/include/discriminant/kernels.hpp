// The table of kernels that one instruction set offers, and the choice among the tables.
#pragma once

#include <cstdint>

#include "discriminant/gram.hpp"
#include "discriminant/loss.hpp"
#include "discriminant/perceptron.hpp"
#include "discriminant/scores.hpp"

namespace discriminant {

struct Kernels {
    const char* name;
    void (*gram_f32)(const GramJob<float>&);
    void (*gram_f64)(const GramJob<double>&);
    std::int64_t (*scores_f32)(const ScoresJob<float>&);
    std::int64_t (*scores_f64)(const ScoresJob<double>&);
    LossSum (*loss_f32)(const LossJob<float>&);
    LossSum (*loss_f64)(const LossJob<double>&);
    Walked (*perceptron_dense_f32)(const PerceptronJob<DenseRows<float>>&);
    Walked (*perceptron_dense_f64)(const PerceptronJob<DenseRows<double>>&);
    Walked (*perceptron_sparse_f32)(const PerceptronJob<SparseRows<float>>&);
    Walked (*perceptron_sparse_f64)(const PerceptronJob<SparseRows<double>>&);
    void (*lengths_dense_f32)(const LengthsJob<DenseRows<float>>&);
    void (*lengths_dense_f64)(const LengthsJob<DenseRows<double>>&);
    void (*lengths_sparse_f32)(const LengthsJob<SparseRows<float>>&);
    void (*lengths_sparse_f64)(const LengthsJob<SparseRows<double>>&);
};

// The tables this machine can run, the widest first; `count` receives how many there are.
const Kernels* const* runnable(int* count);

// The table in use. `use` picks one by name and says whether this machine can run it.
const Kernels& active();
bool use(const char* name);

}  // namespace discriminant

// Included by one file per instruction set, which names it and its vector width. No standard library templates here:
// an inline function of the library compiled for a wide instruction set could be the copy the linker keeps for all.
#include "discriminant/kernels.hpp"

#define DISCRIMINANT_TEXT_OF(name) #name
#define DISCRIMINANT_TEXT(name) DISCRIMINANT_TEXT_OF(name)

namespace discriminant::DISCRIMINANT_ISA {
namespace {
#include "../vector.inl"
#include "../gram.inl"
#include "../scores.inl"
#include "../loss.inl"
#include "../perceptron_rows.inl"
#include "../perceptron.inl"
}  // namespace

extern const Kernels kernels;
const Kernels kernels = {
    DISCRIMINANT_TEXT(DISCRIMINANT_ISA), gram<float>, gram<double>, scores<float>, scores<double>,
    loss<float>, loss<double>,
    perceptron<DenseRows<float>>, perceptron<DenseRows<double>>,
    perceptron<SparseRows<float>>, perceptron<SparseRows<double>>,
    lengths<DenseRows<float>>, lengths<DenseRows<double>>, lengths<SparseRows<float>>, lengths<SparseRows<double>>,
};
}  // namespace discriminant::DISCRIMINANT_ISA

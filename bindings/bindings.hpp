// What the binding files share: the array types they accept, and the check of alignment that nanobind leaves out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>

namespace nb = nanobind;

template <class T> using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T> using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// nanobind takes an unaligned view as readily as an aligned one; a kernel may not.
template <class Array> auto* aligned(const Array& array) {
    auto* data = array.data();
    if (reinterpret_cast<std::uintptr_t>(data) % alignof(typename Array::Scalar) != 0)
        throw std::invalid_argument("an array for a kernel must be aligned");
    return data;
}

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void bind_settings(nb::module_& module);
void bind_gram(nb::module_& module);
void bind_scores(nb::module_& module);
void bind_loss(nb::module_& module);
void bind_perceptron(nb::module_& module);

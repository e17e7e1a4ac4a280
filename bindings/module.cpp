// The compiled core: a table of contents. One file binds each kernel.
#include "bindings.hpp"

NB_MODULE(_core, module) {
    module.doc() = "Kernels over blocks of rows; see cpp/include/discriminant for their contracts.";
    bind_settings(module);
    bind_gram(module);
    bind_scores(module);
    bind_loss(module);
    bind_perceptron(module);
}

// The instruction set in use, and the limit on threads where threadpoolctl can reach it.
#include <atomic>

#include "bindings.hpp"
#include "discriminant/kernels.hpp"

namespace {
std::atomic<int> thread_limit{0};  // 0: none set
}

// Plain C names, because threadpoolctl finds them by dlsym.
extern "C" {
__attribute__((visibility("default"))) int discriminant_get_thread_limit() { return thread_limit; }
__attribute__((visibility("default"))) void discriminant_set_thread_limit(int limit) { thread_limit = limit; }
}

void bind_settings(nb::module_& module) {
    module.attr("LANE_COLUMNS") = discriminant::lane_columns;
    module.attr("NARROW_FUNCTIONS") = discriminant::scores_narrow;
    module.def("get_thread_limit", &discriminant_get_thread_limit);
    module.def("set_thread_limit", &discriminant_set_thread_limit, nb::arg("limit"));
    module.def("isa", [] { return discriminant::active().name; });
    module.def("use_isa", &discriminant::use, nb::arg("name"));
    module.def("runnable_isas", []() -> nb::typed<nb::list, nb::str> {
        int count;
        const discriminant::Kernels* const* tables = discriminant::runnable(&count);
        nb::list names;
        for (int i = 0; i < count; ++i) names.append(tables[i]->name);
        return names;
    });
}

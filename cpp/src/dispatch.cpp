// Picks the table of kernels: once, when the library is loaded, and again only when `use` is called.
#include <cstring>

#include "discriminant/kernels.hpp"

namespace discriminant {

namespace baseline { extern const Kernels kernels; }
#ifdef DISCRIMINANT_X86
namespace avx2 { extern const Kernels kernels; }
namespace avx512 { extern const Kernels kernels; }
#endif

namespace {

struct Choice {
    const Kernels* tables[3];
    int count = 0;
    const Kernels* active;

    Choice() {
#ifdef DISCRIMINANT_X86
        __builtin_cpu_init();
        const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
        if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
            tables[count++] = &avx512::kernels;
        if (has_avx2) tables[count++] = &avx2::kernels;
#endif
        tables[count++] = &baseline::kernels;
        active = tables[0];
    }
};

Choice& choice() {
    static Choice the_choice;
    return the_choice;
}

}  // namespace

const Kernels* const* runnable(int* count) {
    *count = choice().count;
    return choice().tables;
}

const Kernels& active() { return *choice().active; }

bool use(const char* name) {
    for (int i = 0; i < choice().count; ++i)
        if (std::strcmp(choice().tables[i]->name, name) == 0) {
            choice().active = choice().tables[i];
            return true;
        }
    return false;
}

}  // namespace discriminant

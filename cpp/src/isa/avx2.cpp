// Every kernel, compiled for AVX2 and FMA.
#define DISCRIMINANT_ISA avx2
#define DISCRIMINANT_VECTOR_BYTES 32
#include "instantiate.inl"

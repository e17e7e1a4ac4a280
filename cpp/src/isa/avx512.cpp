// Every kernel, compiled for AVX-512 (F, DQ, BW, VL) and FMA.
#define DISCRIMINANT_ISA avx512
#define DISCRIMINANT_VECTOR_BYTES 64
#include "instantiate.inl"

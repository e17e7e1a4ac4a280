// Every kernel, compiled for the instructions every machine of this architecture has.
#define DISCRIMINANT_ISA baseline
#define DISCRIMINANT_VECTOR_BYTES 16
#include "instantiate.inl"

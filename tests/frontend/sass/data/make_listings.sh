#!/bin/sh
# Compiles kernels.cu and writes the listings that the tests read. Needs nvcc and cuobjdump of CUDA 13.0.
# Of the ELF dump only what the reader uses is kept, and runs of blanks are squeezed.
set -e
cd "$(dirname "$0")"
for arch in sm_80 sm_90; do
  nvcc -std=c++17 -O3 -cubin -arch=$arch kernels.cu -o kernels.$arch.cubin
  cuobjdump -sass -elf kernels.$arch.cubin | python3 squeeze.py > kernels.$arch.sass
  rm kernels.$arch.cubin
done

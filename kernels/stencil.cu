// A whole kernel with reuse through L1: five-point stencil on a 32-bit integer grid, straight from global memory.
#include "common.cuh"

// to[y][x] = 4 * centre - left - right - up - down inside, centre on the border; width is a multiple of the block's.
extern "C" __global__ void stencil_5point(const std::int32_t* from, std::int32_t* to, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int at = y * width + x;
  const std::int32_t centre = from[at];
  std::int32_t result = centre;
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
    result = 4 * centre - from[at - 1] - from[at + 1] - from[at - width] - from[at + width];
  to[at] = result;
}

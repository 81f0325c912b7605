// Nothing at all: what a launch costs by itself, and how long a block occupies an SM without doing work.
extern "C" __global__ void empty() {}

"""Results that the validation kernels must produce, computed here for the [check] tables of the launch files.

Fills follow docs/launch-file.md: random numbers are a function of seed and position.
"""
import functools
import zlib

import numpy as np

MASK = (1 << 64) - 1


def mix(x):
    x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & MASK
    return x ^ (x >> 31)


def random_u64(seed, count):
    with np.errstate(over="ignore"):
        x = np.uint64(mix(seed)) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9e3779b97f4a7c15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
        return x ^ (x >> np.uint64(31))


def random_f32(seed, count):
    return ((random_u64(seed, count) >> np.uint64(40)).astype(np.float64) * 2.0**-23 - 1).astype(np.float32)


@functools.cache
def chase_end(nodes, stride, seed, hops):
    """Byte offset after `hops` steps from node 0 of a random chase."""
    draws = random_u64(seed, nodes)
    successor = list(range(nodes))
    for i in range(nodes - 1, 0, -1):
        j = int(draws[i]) % i
        successor[i], successor[j] = successor[j], successor[i]
    node = 0
    for _ in range(hops):
        node = successor[node]
    return node * stride


@functools.cache
def tile_stream_crc(blocks, threads, tile_bytes, tiles, seed):
    """CRC-32 of the result of tile_stream_*: FP32 sums in the order in which a thread adds them."""
    chunks = tile_bytes // 16 // threads
    data = random_f32(seed, blocks * tiles * tile_bytes // 4).reshape(blocks, tiles * chunks, threads, 4)[:, :, ::-1, :]
    total = np.zeros((blocks, threads, 4), np.float32)
    for step in range(tiles * chunks):
        total += data[:, step]
    result = (total[..., 0] + total[..., 1]) + (total[..., 2] + total[..., 3])
    return zlib.crc32(result.astype("<f4").tobytes())

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


def crc(array):
    return zlib.crc32(np.ascontiguousarray(array).tobytes())


def random_u32(seed, count):
    return random_u64(seed, count).astype(np.uint32)


@functools.cache
def stream_read_crc(chunks, threads, rounds, seed):
    words = random_u32(seed, chunks * 4).reshape(chunks // threads, threads, 4)
    return crc(words.sum(axis=(0, 2), dtype=np.uint32) * np.uint32(rounds))


@functools.cache
def strided_read_crc(words, threads, stride, offset, count, seed):
    data = random_u32(seed, words)
    at = np.arange(count * threads).reshape(count, threads) * stride + offset
    return crc(data[at].sum(axis=0, dtype=np.uint32))


@functools.cache
def random_sectors_crc(words, threads, mask, count, seed, index_seed):
    data = random_u32(seed, words)
    at = (random_u32(index_seed, count * threads).reshape(count, threads) & np.uint32(mask)).astype(np.int64) * 8
    return crc(data[at].sum(axis=0, dtype=np.uint32))


@functools.cache
def transpose_crc(n, seed):
    return crc(random_f32(seed, n * n).reshape(n, n).T)


@functools.cache
def reduction_crc(blocks, words_per_block, seed):
    return crc(random_u32(seed, blocks * words_per_block).reshape(blocks, -1).sum(axis=1, dtype=np.uint32))


@functools.cache
def stencil_crc(width, height, seed):
    grid = random_u32(seed, width * height).reshape(height, width)
    result = grid.copy()
    result[1:-1, 1:-1] = (grid[1:-1, 1:-1] * np.uint32(4) - grid[1:-1, :-2] - grid[1:-1, 2:] - grid[:-2, 1:-1]
                          - grid[2:, 1:-1])
    return crc(result)


def source_size_crc(source_bytes):
    lanes = np.arange(512).astype(np.uint8).reshape(32, 16).copy()
    lanes[:, source_bytes:] = 0
    return crc(lanes)

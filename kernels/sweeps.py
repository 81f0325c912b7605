"""Parameter sweeps of the validation kernels: one function per source, which yields (file stem, launch).

A launch is a dict: kernel, title, grid, block, dynamic, args, buffers, reports, checks, caches. write_launches turns each
into traces/STEM.toml. Stems are names that scripts rely on: never rename one.
"""

import references

KIB, MIB = 1024, 1024 * 1024


def buf(name):
    return {"buffer": name}


def i32(value):
    return {"i32": value}


def f32(value):
    return {"f32": value}


def report(name, scale=1.0, unit="cycles", buffer="out", kind="i64", index=0):
    return {"name": name, "buffer": buffer, "type": kind, "index": index, "scale": scale, "unit": unit}


def constant(buffer, kind, value, index=0, count=1):
    size = {"i32": 4, "f32": 4, "i64": 8}[kind]
    return {"kind": "equals", "buffer": buffer, "type": kind, "offset": index * size, "count": count,
            "expected": {"fill": "constant", "type": kind, "value": value}}


# Not zero, so that a kernel that writes nothing is found out.
OUT = {"bytes": 256, "fill": "constant", "type": "i64", "value": -1}


def lds_chain():
    loads = 1024
    for ways in (1, 2, 4, 8, 16, 32):
        yield f"lds_chain_{ways}way", {
            "kernel": "lds_chain",
            "title": f"Latency of a shared-memory load with a {ways}-way bank conflict",
            "grid": [1], "block": [32], "caches": "warm",
            "args": [buf("out"), i32(ways), i32(loads)],
            "buffers": {"out": OUT},
            "reports": [report("latency", 1 / loads)],
            "checks": [constant("out", "i64", 0, 1)],  # an even number of loads ends where it began
        }


def global_chase():
    def launch(operator, title, footprint, stride, warm, hops, caches):
        seed = 7
        return {
            "kernel": f"global_chase_{operator}", "title": title, "grid": [1], "block": [32], "caches": caches,
            "args": [buf("ring"), buf("out"), i32(warm), i32(hops)],
            "buffers": {"ring": {"bytes": footprint, "fill": "chase", "stride": stride, "seed": seed}, "out": OUT},
            "reports": [report("latency", 1 / hops)],
            "checks": [constant("out", "i64", references.chase_end(footprint // stride, stride, seed, warm + hops), 1)],
        }
    yield "global_chase_l1_ca", launch("ca", "Latency of a load that hits in L1", 16 * KIB, 128, 128, 1024, "warm")
    for operator in ("ca", "cg"):
        # The ring is walked once untimed and is larger than any L1, so every timed hop hits in L2.
        yield f"global_chase_l2_{operator}", launch(
            operator, f"Latency of a .{operator} load that hits in the near L2 partition", 1 * MIB, 128, 8192, 2048, "warm")
        # Fewer hops than the ring has elements: none is visited twice, and every one comes from DRAM.
        yield f"global_chase_dram_{operator}", launch(
            operator, f"Latency of a .{operator} load from DRAM", 64 * MIB, 4 * KIB, 64, 1024, "cold")


def ffma_chain():
    count = 1024
    yield "ffma_chain", {
        "kernel": "ffma_chain", "title": "Latency of a dependent FFMA", "grid": [1], "block": [32], "caches": "warm",
        "args": [buf("out"), buf("value"), f32(1.0), f32(1.0), i32(count)],
        "buffers": {"out": OUT, "value": {"bytes": 128, "fill": "zero"}},
        "reports": [report("latency", 1 / count)],
        "checks": [{"kind": "equals", "buffer": "value", "type": "f32",
                    "expected": {"fill": "iota", "type": "f32", "start": 2 * count, "step": 1}}],
    }


def bar_sync():
    count = 1024
    for warps in (1, 2, 4, 8, 16, 32):
        yield f"bar_sync_{warps}w", {
            "kernel": "bar_sync", "title": f"Cost of a barrier of {warps} warps", "grid": [1], "block": [32 * warps],
            "caches": "warm",
            "args": [buf("out"), i32(count)], "buffers": {"out": OUT},
            "reports": [report("barrier", 1 / count)],
        }


def cp_async_roundtrip():
    levels = {  # footprint, stride, warm copies, timed copies, caches
        "l1": (4 * KIB, 512, 8, 512, "warm"),
        "l2": (1 * MIB, 512, 2048, 1024, "warm"),
        "dram": (16 * MIB, 8704, 32, 1024, "cold"),
    }
    for variant in ("ca4", "ca8", "ca16", "cg16"):
        size = int(variant[2:])
        for level, (footprint, stride, warm, copies, caches) in levels.items():
            if variant.startswith("cg") and level == "l1":
                continue  # .cg goes past L1
            yield f"cp_async_roundtrip_{variant}_{level}", {
                "kernel": f"cp_async_roundtrip_{variant}",
                "title": f"Copy of {size} bytes a lane (.{variant[:2]}) from {level.upper()}: issue, commit, wait for all",
                "grid": [1], "block": [32], "caches": caches,
                "args": [buf("source"), buf("out"), buf("landed"), i32(stride), i32(footprint), i32(warm), i32(copies)],
                "buffers": {"source": {"bytes": footprint + 512, "fill": "iota"}, "out": OUT,
                            "landed": {"bytes": 32 * size, "fill": "zero"}},
                "reports": [report("round_trip", 1 / copies)],
                "checks": [{"kind": "equals", "buffer": "landed", "expected": {"buffer": "source"},
                            "expected_offset": (warm + copies - 1) * stride % footprint, "type": "i32"}],
            }


def tile_stream_launch(kernel, title, stages, tile_bytes=16 * KIB, tiles=16, work=32, blocks=132, threads=256,
                       caches="cold"):
    return {
        "kernel": kernel, "title": title, "grid": [blocks], "block": [threads], "dynamic": stages * tile_bytes,
        "caches": caches,
        "args": [buf("source"), buf("result"), i32(tile_bytes), i32(tiles), i32(work), f32(1.0), f32(0.0)],
        "buffers": {"source": {"bytes": blocks * tiles * tile_bytes, "fill": "random_f32", "seed": 1},
                    "result": {"bytes": blocks * threads * 4}},
        "reports": [],
        "checks": [{"kind": "crc32", "buffer": "result",
                    "value": references.tile_stream_crc(blocks, threads, tile_bytes, tiles, 1)}],
    }


def tile_stream_sync():
    yield "tile_stream_sync", tile_stream_launch(
        "tile_stream_sync", "Tiles by LDG, STS and barriers; nothing overlaps inside a block", 1)


def tile_stream_async():
    for stages in range(1, 7):
        if stages * 16 * KIB <= 160 * KIB:
            yield f"tile_stream_{stages}stage", tile_stream_launch(
                f"tile_stream_async_s{stages}", f"Tiles by cp.async through {stages} stage{'s' * (stages > 1)}", stages)


def hgemm():
    def launch(m, n, k):
        return {
            "kernel": "hgemm_3stage", "title": f"BF16 GEMM {m} x {n} x {k}, 3 stages of cp.async, XOR swizzle",
            "grid": [n // 128, m // 128], "block": [256], "dynamic": 3 * 16 * KIB, "caches": "cold",
            "args": [buf("A"), buf("B"), buf("C"), i32(m), i32(n), i32(k)],
            "buffers": {"A": {"bytes": 2 * m * k, "fill": "random_bf16", "seed": 1},
                        "B": {"bytes": 2 * n * k, "fill": "random_bf16", "seed": 2},
                        "C": {"bytes": 4 * m * n}},
            "reports": [],
            "checks": [{"kind": "gemm", "a": "A", "b": "B", "c": "C", "m": m, "n": n, "k": k}],
        }
    yield "hgemm_3stage", launch(1024, 1024, 1024)
    yield "hgemm_3stage_512", launch(512, 512, 512)
    yield "hgemm_3stage_4096", launch(4096, 4096, 4096)


def empty():
    yield "empty", {"kernel": "empty", "title": "A block that does nothing", "grid": [1], "block": [32],
                    "caches": "warm", "args": [], "buffers": {}, "reports": []}


ALL = (lds_chain, global_chase, ffma_chain, bar_sync, cp_async_roundtrip, tile_stream_sync, tile_stream_async, hgemm,
       empty)

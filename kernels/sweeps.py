"""Parameter sweeps of the validation kernels: one function per source, which yields (file stem, launch).

A launch is a dict: kernel, title, grid, block, dynamic, args, buffers, reports, checks, caches. write_launches turns each
into traces/STEM.toml (the basic set) or traces/sweep/STEM.toml. Stems are names that scripts rely on: never rename one.
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


# --- sweeps beyond the basic set: written to traces/sweep/ ------------------------------------------------------------

def warm_out(kernel, title, warps, args, reports, grid=1, dynamic=0, buffers=None, checks=()):
    """A kernel that times itself on warm caches and leaves its times in `out`."""
    return {"kernel": kernel, "title": title, "grid": [grid], "block": [32 * warps], "dynamic": dynamic, "caches": "warm",
            "args": args, "buffers": {"out": {**OUT, "bytes": max(256, 8 * grid)}, **(buffers or {})}, "reports": reports,
            "checks": list(checks)}


def plural(count, noun):
    return f"{count} {noun}" + "s" * (count != 1)


def chase_footprints():
    def launch(operator, footprint, stride, warm, hops, caches, order="random"):
        seed = 7
        nodes = footprint // stride
        end = (warm + hops) % nodes * stride if order == "sequential" else references.chase_end(nodes, stride, seed, warm + hops)
        return {
            "kernel": f"global_chase_{operator}", "grid": [1], "block": [32], "caches": caches,
            "title": f"Latency of a .{operator} load, ring of {footprint // KIB} KiB, {stride} bytes from node to node, {order}, {caches}",
            "args": [buf("ring"), buf("out"), i32(warm), i32(hops)],
            "buffers": {"ring": {"bytes": footprint, "fill": "chase", "stride": stride, "order": order, "seed": seed}, "out": OUT},
            "reports": [report("latency", 1 / hops)],
            "checks": [constant("out", "i64", end, 1)],
        }
    for kib in (32, 96, 160, 192, 256, 512):
        yield f"global_chase_ca_{kib}k", launch("ca", kib * KIB, 128, kib * 8 * 2, 2048, "warm")
    for mib in (4, 16, 32, 44, 56, 72):
        nodes = mib * MIB // 256
        yield f"global_chase_cg_{mib}m", launch("cg", mib * MIB, 256, nodes, 4096, "warm")
    for mib, stride, order in ((16, 128, "sequential"), (16, 2048, "sequential"), (256, 64 * KIB, "random"), (16, 256, "random")):
        yield f"global_chase_cold_{mib}m_{stride}_{order}", launch("cg", mib * MIB, stride, 64, 1024, "cold", order)


def lds_wide_chain():
    loads = 1024
    def launch(kernel, bytes_apart, what):
        return warm_out(kernel, f"Latency of {what}, {bytes_apart} bytes apart", 1, [buf("out"), i32(bytes_apart), i32(loads)],
                        [report("latency", 1 / loads)], checks=[constant("out", "i64", 31 * bytes_apart, 1)])
    for width, strides in ((64, (0, 8, 16, 32, 128)), (128, (0, 16, 32, 64, 128))):
        for stride in strides:
            yield f"lds_chain_{width}_{stride}b", launch(f"lds_chain_{width}", stride, f"LDS.{width}, lanes")
    for matrices in (1, 2, 4):
        for pitch in (16, 32, 64, 128, 144):
            yield f"ldsm_chain_x{matrices}_{pitch}b", launch(f"ldsm_chain_x{matrices}", pitch, f"ldmatrix.x{matrices}, rows")


def shared_rate():
    count = 512
    def launch(kernel, bytes_apart, warps):
        return warm_out(kernel, f"{kernel}: {plural(warps, 'warp')}, lanes {bytes_apart} bytes apart", warps,
                        [buf("out"), i32(bytes_apart), i32(count)], [report("cycles_per_access", 1 / (count * warps))])
    for warps in (1, 2, 4, 8, 16, 32):
        yield f"lds_rate_32_4b_{warps}w", launch("lds_rate_32", 4, warps)
    for kernel, width in (("lds_rate_64", 8), ("lds_rate_128", 16), ("sts_rate_32", 4), ("sts_rate_64", 8), ("sts_rate_128", 16)):
        for warps in (1, 4, 16):
            yield f"{kernel}_{width}b_{warps}w", launch(kernel, width, warps)
    for bytes_apart in (0, 8, 32, 128):
        for warps in (1, 4, 16):
            yield f"lds_rate_32_{bytes_apart}b_{warps}w", launch("lds_rate_32", bytes_apart, warps)


def pipe_rate():
    count = 1024
    for pipe in ("ffma", "dfma", "imad", "lop3", "mufu", "shfl", "hmma"):
        for kind, warps in (("latency", 1), ("rate", 1), ("rate", 4), ("rate", 16)):
            yield f"pipe_{pipe}_{kind}_{warps}w", warm_out(
                f"pipe_{pipe}_{kind}", f"{pipe.upper()} {kind} with {plural(warps, 'warp')}", warps,
                [buf("out"), i32(count), i32(3), i32(5)], [report("cycles_per_instruction", 1 / count)])


def burst():
    def launch(op, n, warps, stride=1, how=""):
        return warm_out(
            f"burst_{op}_{n}", f"{plural(n, op.upper())} in a row from {plural(warps, 'warp')}{how}", warps,
            [buf("out"), buf("data"), i32(stride)], [report("handed_over"), report("complete", index=1)],
            buffers={"data": {"bytes": 16 * KIB}})
    for op in ("lds", "sts", "ldg", "ldgsts"):
        for n in (1, 4, 8, 12, 16, 24, 32, 48):
            yield f"burst_{op}_{n}_1w", launch(op, n, 1)
        for n in (4, 8, 16, 32):
            yield f"burst_{op}_{n}_8w", launch(op, n, 8)
    for op, what in (("lds", ", each with a 32-way conflict"), ("sts", ", each with a 32-way conflict"), ("ldg", ", each of 32 lines"),
                     ("ldgsts", ", each of 32 lines")):
        for warps, counts in ((1, (4, 8, 12, 16, 24, 32, 48)), (4, (4, 8, 16, 32)), (8, (4, 8, 16))):
            for n in counts:
                yield f"burst_{op}_{n}_{warps}w_32way", launch(op, n, warps, 32, what)


def l2_lines():
    for mib in (1, 16):
        lines = mib * MIB // 128
        yield f"l2_lines_{mib}m", warm_out(
            "l2_lines", f"L2 hit latency of each line of {mib} MiB", 1, [buf("data"), buf("out"), buf("histogram"), i32(lines)],
            [report("mean", 1 / lines), report("least", index=1), report("most", index=2)],
            buffers={"data": {"bytes": mib * MIB}, "histogram": {"bytes": 512}})


def stream():
    threads = 512
    def read(operator, mib, blocks, rounds, caches):
        chunks = mib * MIB // 16
        total = blocks * threads
        assert chunks % (4 * total) == 0  # a thread reads four chunks at a time, without looking where the data ends
        return {"kernel": f"stream_read_{operator}",
                "title": f"Read of {mib} MiB (.{operator}), {plural(rounds, 'round')}, {plural(blocks, 'block')} of {threads}, {caches}",
                "grid": [blocks], "block": [threads], "caches": caches,
                "args": [buf("source"), buf("result"), i32(chunks), i32(rounds)],
                "buffers": {"source": {"bytes": mib * MIB, "fill": "random_u32", "seed": 3}, "result": {"bytes": total * 4}},
                "reports": [], "checks": [{"kind": "crc32", "buffer": "result",
                                           "value": references.stream_read_crc(chunks, total, rounds, 3)}]}
    for mib, blocks in ((4, 128), (16, 256), (32, 256)):
        yield f"stream_read_cg_{mib}m_warm", read("cg", mib, blocks, 4, "warm")
    for mib in (16, 64, 128):
        yield f"stream_read_cg_{mib}m_cold", read("cg", mib, 256, 1, "cold")
    for blocks in (1, 8, 32, 128):
        yield f"stream_read_cg_4m_{blocks}b", read("cg", 4, blocks, 1, "warm")
    for operator in ("ca", "cs"):
        yield f"stream_read_{operator}_64m_cold", read(operator, 64, 256, 1, "cold")
    # 128 KiB for each block: fits into L1, where .ca lets the later rounds hit.
    yield "stream_read_ca_reused", {**read("ca", 1, 8, 8, "warm"), "title": "1 MiB by 8 blocks, 128 KiB each, read 8 times (.ca)"}
    yield "stream_read_cs_reused", {**read("cs", 1, 8, 8, "warm"), "title": "1 MiB by 8 blocks, 128 KiB each, read 8 times (.cs)"}
    for mib, caches in ((16, "warm"), (64, "cold")):
        chunks = mib * MIB // 16
        yield f"stream_copy_{mib}m_{caches}", {
            "kernel": "stream_copy", "title": f"Copy of {mib} MiB, {caches}", "grid": [256], "block": [threads], "caches": caches,
            "args": [buf("source"), buf("target"), i32(chunks)],
            "buffers": {"source": {"bytes": mib * MIB, "fill": "random_u32", "seed": 3}, "target": {"bytes": mib * MIB}},
            "reports": [], "checks": [{"kind": "equals", "buffer": "target", "expected": {"buffer": "source"}}]}
        yield f"stream_write_{mib}m_{caches}", {
            "kernel": "stream_write", "title": f"Write of {mib} MiB, {caches}", "grid": [256], "block": [threads], "caches": caches,
            "args": [buf("target"), i32(chunks)], "buffers": {"target": {"bytes": mib * MIB}}, "reports": [],
            "checks": [{"kind": "equals", "buffer": "target", "type": "u32", "expected": {"fill": "iota", "type": "u32"}}]}


def access_pattern():
    blocks, threads, count = 128, 256, 8
    total = blocks * threads
    for stride, offset in ((1, 0), (1, 1), (2, 0), (4, 0), (8, 0), (16, 0), (32, 0)):
        words = total * count * stride + 32
        yield f"strided_read_s{stride}_o{offset}", {
            "kernel": "strided_read", "title": f"4-byte reads, lanes {stride} words apart, first word {offset}",
            "grid": [blocks], "block": [threads], "caches": "cold",
            "args": [buf("source"), buf("result"), i32(stride), i32(offset), i32(count)],
            "buffers": {"source": {"bytes": words * 4, "fill": "random_u32", "seed": 5}, "result": {"bytes": total * 4}},
            "reports": [], "checks": [{"kind": "crc32", "buffer": "result",
                                       "value": references.strided_read_crc(words, total, stride, offset, count, 5)}]}
    for mib, caches in ((16, "warm"), (128, "cold")):
        words, mask = mib * MIB // 4, mib * MIB // 32 - 1
        yield f"random_sectors_{mib}m_{caches}", {
            "kernel": "random_sectors", "title": f"4-byte reads from random sectors of {mib} MiB, {caches}",
            "grid": [blocks], "block": [threads], "caches": caches,
            "args": [buf("source"), buf("index"), buf("result"), {"u32": mask}, i32(count)],
            "buffers": {"source": {"bytes": mib * MIB, "fill": "random_u32", "seed": 5},
                        "index": {"bytes": total * count * 4, "fill": "random_u32", "seed": 6}, "result": {"bytes": total * 4}},
            "reports": [], "checks": [{"kind": "crc32", "buffer": "result",
                                       "value": references.random_sectors_crc(words, total, mask, count, 5, 6)}]}


def copy_groups():
    yield "empty_groups", warm_out("empty_groups", "Commit and wait with nothing copied", 1, [buf("out"), i32(512)],
                                   [report("group", 1 / 512)])
    yield "wait_groups", warm_out(
        "wait_groups", "Eight groups in flight: when each wait returns", 1, [buf("source"), buf("out"), buf("landed")],
        [report(f"at_most_{k}", index=k) for k in range(8)],
        buffers={"source": {"bytes": 16 * 512, "fill": "iota"}, "landed": {"bytes": 8 * 512}},
        checks=[{"kind": "equals", "buffer": "landed", "expected": {"buffer": "source"}, "expected_offset": 8 * 512}])
    for size in (0, 4, 16):
        yield f"copy_source_size_{size}", warm_out(
            "copy_source_size", f"Copies of 16 bytes of which {size} are read", 1,
            [buf("source"), buf("out"), buf("landed"), i32(size), i32(512)], [report("round_trip", 1 / 512)],
            buffers={"source": {"bytes": 512, "fill": "iota", "type": "u8"}, "landed": {"bytes": 512}},
            checks=[{"kind": "crc32", "buffer": "landed", "value": references.source_size_crc(size)}])
    for blocks in (1, 32, 132):
        for warps in (1, 4, 8):
            rounds = 64
            yield f"copies_in_flight_{warps}w_{blocks}b", warm_out(
                "copies_in_flight", f"{plural(warps, 'warp')} in each of {plural(blocks, 'block')}, 8 to 16 copies of 512 bytes in flight for each",
                warps, [buf("source"), buf("out"), i32(4 * MIB), i32(rounds)],
                [report("cycles_per_copy", 1 / (8 * rounds * warps))], grid=blocks, dynamic=16 * 512 * warps,
                buffers={"source": {"bytes": 4 * MIB, "fill": "random_u32", "seed": 9}})


def spill():
    threads, rounds = 132 * 128, 64
    for kernel in ("spill_32_registers", "spill_none"):
        yield kernel, {
            "kernel": kernel, "title": f"40 live values a thread, {kernel.replace('_', ' ')}", "grid": [132], "block": [128],
            "caches": "warm", "args": [buf("result"), f32(1.0), f32(1.0), i32(rounds)],
            "buffers": {"result": {"bytes": threads * 4}}, "reports": [],
            "checks": [{"kind": "equals", "buffer": "result", "type": "f32",
                        "expected": {"fill": "iota", "type": "f32", "start": 780 + 40 * rounds, "step": 40}}]}


def tile_stream_sweep():
    def kernel_of(stages):
        return "tile_stream_sync" if stages == 0 else f"tile_stream_async_s{stages}"

    def launch(stages, kib, work, blocks):
        name = "sync" if stages == 0 else f"{stages}stage"
        return f"tile_stream_{name}_{kib}k_w{work}_b{blocks}", tile_stream_launch(
            kernel_of(stages), f"Tiles of {kib} KiB, {plural(work, 'round')} of arithmetic, {blocks} blocks, "
            + ("synchronous" if stages == 0 else plural(stages, "stage")), max(1, stages), kib * KIB, 256 // kib, work, blocks)
    for stages in (0, 1, 2, 3, 4):
        for kib in (4, 8, 32):
            yield launch(stages, kib, 32, 132)
        for work in (0, 128, 512):
            yield launch(stages, 16, work, 132)
    for stages in (0, 2, 3):
        for blocks in (264, 528):
            yield launch(stages, 16, 32, blocks)


def pipeline_object():
    yield "pipeline_object", tile_stream_launch(
        "pipeline_object", "Tiles through cuda::memcpy_async and a pipeline object, 2 stages", 2)


def gemms():
    def hgemm_launch(kernel, stages, row_bytes, size):
        return f"{kernel}_{size}", {
            "kernel": kernel, "title": f"BF16 GEMM {size}^3, {kernel}", "grid": [size // 128] * 2, "block": [256],
            "dynamic": stages * 256 * row_bytes, "caches": "cold",
            "args": [buf("A"), buf("B"), buf("C"), i32(size), i32(size), i32(size)],
            "buffers": {"A": {"bytes": 2 * size * size, "fill": "random_bf16", "seed": 1},
                        "B": {"bytes": 2 * size * size, "fill": "random_bf16", "seed": 2}, "C": {"bytes": 4 * size * size}},
            "reports": [], "checks": [{"kind": "gemm", "a": "A", "b": "B", "c": "C", "m": size, "n": size, "k": size}]}

    def sgemm_launch(kernel, size):
        return f"{kernel}_{size}", {
            "kernel": kernel, "title": f"FP32 GEMM {size}^3, {kernel}", "grid": [size // 64] * 2, "block": [256], "caches": "cold",
            "args": [buf("A"), buf("B"), buf("C"), i32(size), i32(size)],
            "buffers": {"A": {"bytes": 4 * size * size, "fill": "random_f32", "seed": 1},
                        "B": {"bytes": 4 * size * size, "fill": "random_f32", "seed": 2}, "C": {"bytes": 4 * size * size}},
            "reports": [], "checks": [{"kind": "gemm", "type": "f32", "a": "A", "b": "B", "c": "C", "b_layout": "kn",
                                       "m": size, "n": size, "k": size}]}
    for size in (512, 1024, 2048):
        for kernel, stages, row_bytes in (("hgemm_sync", 1, 64), ("hgemm_2stage", 2, 64), ("hgemm_4stage", 4, 64),
                                          ("hgemm_5stage", 5, 64), ("hgemm_3stage_linear", 3, 64), ("hgemm_3stage_padded", 3, 80)):
            yield hgemm_launch(kernel, stages, row_bytes, size)
        for kernel in ("sgemm_sync", "sgemm_2stage", "sgemm_3stage"):
            yield sgemm_launch(kernel, size)
    yield hgemm_launch("hgemm_3stage", 3, 64, 2048)


def small_kernels():
    n = 1024
    for kernel in ("transpose_conflicts", "transpose_padded"):
        yield kernel, {
            "kernel": kernel, "title": f"Transpose of {n} x {n} FP32, {kernel.split('_')[1]}", "grid": [n // 32] * 2, "block": [32, 8],
            "caches": "cold", "args": [buf("source"), buf("target"), i32(n)],
            "buffers": {"source": {"bytes": 4 * n * n, "fill": "random_f32", "seed": 1}, "target": {"bytes": 4 * n * n}},
            "reports": [], "checks": [{"kind": "crc32", "buffer": "target", "value": references.transpose_crc(n, 1)}]}
    blocks, chunks = 528, 16
    yield "reduction", {
        "kernel": "reduction", "title": f"Sums of {blocks} stretches of {chunks * 4} KiB", "grid": [blocks], "block": [256],
        "caches": "cold", "args": [buf("source"), buf("result"), i32(chunks)],
        "buffers": {"source": {"bytes": blocks * chunks * 4096, "fill": "random_u32", "seed": 1}, "result": {"bytes": blocks * 4}},
        "reports": [], "checks": [{"kind": "crc32", "buffer": "result",
                                   "value": references.reduction_crc(blocks, chunks * 1024, 1)}]}
    width, height = 2048, 1024
    yield "stencil_5point", {
        "kernel": "stencil_5point", "title": f"Five-point stencil on {width} x {height} integers",
        "grid": [width // 32, height // 8], "block": [32, 8], "caches": "cold",
        "args": [buf("source"), buf("target"), i32(width), i32(height)],
        "buffers": {"source": {"bytes": 4 * width * height, "fill": "random_u32", "seed": 1},
                    "target": {"bytes": 4 * width * height}},
        "reports": [], "checks": [{"kind": "crc32", "buffer": "target", "value": references.stencil_crc(width, height, 1)}]}
    rows = 4096
    yield "softmax_rows", {
        "kernel": "softmax_rows", "title": f"Softmax of {rows} rows of 1024", "grid": [rows], "block": [256], "caches": "cold",
        "args": [buf("source"), buf("target"), buf("row_sum")],
        "buffers": {"source": {"bytes": rows * 4096, "fill": "random_f32", "seed": 1}, "target": {"bytes": rows * 4096},
                    "row_sum": {"bytes": rows * 4}},
        "reports": [], "checks": [{"kind": "equals", "buffer": "row_sum", "type": "f32", "tolerance": 1e-5,
                                   "expected": {"fill": "constant", "type": "f32", "value": 1.0}}]}


BASIC = (lds_chain, global_chase, ffma_chain, bar_sync, cp_async_roundtrip, tile_stream_sync, tile_stream_async, hgemm,
         empty)
SWEEPS = (chase_footprints, lds_wide_chain, shared_rate, pipe_rate, burst, l2_lines, stream, access_pattern, copy_groups,
          spill, tile_stream_sweep, pipeline_object, gemms, small_kernels)

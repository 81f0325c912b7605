// Small kernels that the runner launches around the measured one. PTX, so that the driver compiles them for the GPU at
// hand.
#pragma once

namespace smpipe::gpu {

/// clock_sample(out): out[0] = SM clock, out[1] = global timer in ns, out[2] = SM id.
/// spin(ns): occupies one SM, so that everything behind it is queued before it runs.
/// sweep(data, bytes, out): reads `bytes` bytes through L2 and leaves nothing else there.
/// empty(): what a launch costs by itself.
inline constexpr char kHelperKernels[] = R"ptx(
.version 7.0
.target sm_80
.address_size 64

.visible .entry clock_sample(.param .u64 out)
{
  .reg .b64 %d<4>;
  .reg .b32 %r<2>;
  ld.param.u64 %d0, [out];
  cvta.to.global.u64 %d0, %d0;
  mov.u64 %d1, %clock64;
  mov.u64 %d2, %globaltimer;
  mov.u32 %r0, %smid;
  cvt.u64.u32 %d3, %r0;
  st.global.u64 [%d0], %d1;
  st.global.u64 [%d0+8], %d2;
  st.global.u64 [%d0+16], %d3;
  ret;
}

.visible .entry spin(.param .u64 ns)
{
  .reg .b64 %d<4>;
  .reg .pred %p0;
  ld.param.u64 %d0, [ns];
  mov.u64 %d1, %globaltimer;
again:
  mov.u64 %d2, %globaltimer;
  sub.u64 %d3, %d2, %d1;
  setp.lt.u64 %p0, %d3, %d0;
  @%p0 bra again;
  ret;
}

.visible .entry sweep(.param .u64 data, .param .u64 bytes, .param .u64 out)
{
  .reg .b64 %d<8>;
  .reg .b32 %r<8>;
  .reg .pred %p<2>;
  ld.param.u64 %d0, [data];
  ld.param.u64 %d1, [bytes];
  ld.param.u64 %d2, [out];
  cvta.to.global.u64 %d0, %d0;
  cvta.to.global.u64 %d2, %d2;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r0, %r0, %r1, %r2;
  mul.wide.u32 %d3, %r0, 32;
  mov.u32 %r3, %nctaid.x;
  mul.lo.u32 %r3, %r3, %r1;
  mul.wide.u32 %d4, %r3, 32;
  mov.u32 %r4, 0;
next:
  setp.ge.u64 %p0, %d3, %d1;
  @%p0 bra done;
  add.u64 %d5, %d0, %d3;
  ld.global.cg.u32 %r5, [%d5];
  xor.b32 %r4, %r4, %r5;
  add.u64 %d3, %d3, %d4;
  bra next;
done:
  setp.ne.u32 %p1, %r4, 0xffffffff;
  @%p1 bra quit;
  st.global.u32 [%d2], %r4;
quit:
  ret;
}

.visible .entry empty()
{
  ret;
}
)ptx";

}  // namespace smpipe::gpu

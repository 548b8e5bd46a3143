/** Added to every seed: a soak draws anew with it. */
const OFFSET = Number(process.env["TEST_SEED"] ?? 0);

/** Numbers from 0 to 1 that a seed decides, so that a failing run can be repeated. Mulberry32. */
export function random(seed: number): () => number {
  let state = (seed + OFFSET) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

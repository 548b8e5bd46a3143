import { afterEach, expect, test, vi } from "vitest";

import { createDenialCache } from "../../src/decide/denial-cache.ts";
import { createSeededHash } from "../../src/runtime/clock-cache.ts";

afterEach(() => vi.restoreAllMocks());

/** Texts chosen to collide. */
const HOSTILE: Record<string, (i: number) => string> = {
  "differ at the end": (i) => `2001:db8::${String(i)}`,
  "differ at the start": (i) => `${String(i)}.example.com`,
  "are of two characters": (i) => i.toString(2).padStart(10, "0"),
  "differ in one bit each": (i) =>
    i.toString(2).padStart(10, "0").replaceAll("0", "@").replaceAll("1", "A"),
  "are of two characters that are 64 apart": (i) =>
    i.toString(2).padStart(10, "0").replaceAll("0", "=").replaceAll("1", "}"),
  "are of the same characters": (i) => {
    const swaps = i.toString(2).padStart(10, "0");
    return [...swaps].map((swap) => (swap === "0" ? "ab" : "ba")).join("");
  },
  "are the same halves in another order": (i) => {
    const halves = [String(i >> 1).padStart(64, "0"), "-".repeat(64)];
    return (i % 2 === 0 ? halves : halves.toReversed()).join("");
  },
};

/** Weights that are different for every seed, and the same whenever the test runs. */
function drawFrom(seed: number): void {
  let state = seed;
  vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => {
    const weights = array as unknown as Int32Array;
    for (let i = 0; i < weights.length; i++) {
      state = (state + 0x9e3779b9) | 0;
      const mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      const again = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      weights[i] = again ^ (again >>> 15);
    }
    return array;
  });
}

test.for(Object.keys(HOSTILE))("texts that %s collide no more often than by chance", (family) => {
  const texts = Array.from({ length: 1_000 }, (_, i) => HOSTILE[family]!(i));
  expect(new Set(texts).size).toBe(1_000);
  let pairs = 0;
  for (let seed = 0; seed < 100; seed++) {
    drawFrom(seed);
    const hash = createSeededHash();
    const buckets = new Int32Array(1_000);
    for (const text of texts) pairs += buckets[hash(text) % 1_000]!++;
  }
  // By chance it is half a pair for each text.
  expect(pairs / 100_000).toBeLessThan(0.75);
});

test("keys that collide under one hash do not under the next", () => {
  drawFrom(0);
  const [hash, next] = [createSeededHash(), createSeededHash()];
  const seen = new Map<number, string>();
  let collisions = 0;
  for (let i = 0; i < 40_000; i++) {
    const text = `session:${Math.imul(i, 0x9e3779b1).toString(36)}`;
    const other = seen.get(hash(text));
    seen.set(hash(text), text);
    if (other === undefined) continue;
    collisions++;
    expect(next(other)).not.toBe(next(text));
  }
  expect(collisions).toBeGreaterThan(0);
});

test("no random number is drawn before the first denial, and then one", () => {
  const draw = vi.spyOn(crypto, "getRandomValues");
  const cache = createDenialCache(10, 1);
  cache.find("a", [1], 0);
  cache.forget("a", 0);
  expect(draw).not.toHaveBeenCalled();
  const rows = [{ allowed: false, remaining: 0, retryAfterUs: 1e6, resetAfterUs: 1e6 }];
  for (const partition of ["a", "b"]) cache.learn(partition, [1], 1, { nowUs: 1e15, rows });
  expect(draw).toHaveBeenCalledTimes(1);
});

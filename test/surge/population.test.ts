import { expect, test } from "vitest";

import { POLL_MS, population, RIDERS, SCRIPTS } from "../../bench/surge/population.ts";

const PHASES = { quietMs: 6_000, surgeMs: 40_000, afterMs: 8_000 };
const [SURGE_MS, AFTER_MS, END_MS] = [6_000, 46_000, 54_000];

const of = (share = 1) => Object.groupBy(population(1, PHASES, share), ({ kind }) => kind);
const ridersOf = (share = 1) => [...of(share).patient!, ...of(share).impatient!];

test("the same seed gives the same people, another one others", () => {
  expect(population(7, PHASES)).toEqual(population(7, PHASES));
  expect(population(8, PHASES)).not.toEqual(population(7, PHASES));
});

test("two in five riders are impatient, and want rides, fares and drivers as 5 to 2 to 1", () => {
  expect(Math.abs(of().impatient!.length / RIDERS - 0.4)).toBeLessThan(0.03);
  const wishes = ridersOf().flatMap(({ intentions }) => intentions.slice(1));
  const shares = (["rides", "fares", "drivers"] as const).map(
    (name) => wishes.filter(({ endpoint }) => endpoint === name).length / wishes.length,
  );
  const differences = [5, 2, 1].map((eighths, i) => Math.abs(shares[i]! - eighths / 8));
  expect(Math.max(...differences)).toBeLessThan(0.03);
});

test("every rider opens the app for a ride, and wants nothing after the end", () => {
  for (const { intentions } of ridersOf()) {
    expect(intentions[0]!.endpoint).toBe("rides");
    const times = intentions.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(END_MS);
  }
});

test("a script polls through the whole surge, and only then", () => {
  const scripts = of().script!;
  expect(scripts).toHaveLength(SCRIPTS);
  for (const { intentions } of scripts) {
    expect(intentions).toHaveLength(PHASES.surgeMs / POLL_MS);
    expect(intentions[0]!.atMs).toBeGreaterThanOrEqual(SURGE_MS);
    expect(intentions.at(-1)!.atMs).toBeLessThan(AFTER_MS);
  }
});

test.for([
  [1, SCRIPTS],
  [0.5, SCRIPTS / 2],
  [0.123, 1],
  [0.1, 1],
] as const)("a share of %d has that share of the riders, in the same time", ([share, scripts]) => {
  expect(ridersOf(share)).toHaveLength(Math.round(RIDERS * share));
  expect(of(share).script).toHaveLength(scripts);
  const arrivals = ridersOf(share)
    .map(({ intentions }) => intentions[0]!.atMs)
    .filter((atMs) => atMs >= SURGE_MS && atMs < AFTER_MS);
  // 1,800 riders at 200 per second.
  expect(Math.abs(arrivals.length / (1_800 * share) - 1)).toBeLessThan(0.01);
  expect(Math.max(...arrivals)).toBeLessThan(SURGE_MS + 9_010);
  expect(Math.max(...arrivals)).toBeGreaterThan(SURGE_MS + 8_500);
});

import { describe, expect, test } from "vitest";

import { lengthOf, PHASES } from "../../bench/surge/people/phases.ts";
import { POLL_MS, population, RIDERS, SCRIPTS } from "../../bench/surge/people/population.ts";

const ridersOf = (people: ReturnType<typeof population>) =>
  people.filter(({ kind }) => kind !== "script");

test("the same seed gives the same people, another one others", () => {
  expect(population(7, PHASES)).toEqual(population(7, PHASES));
  expect(population(8, PHASES)).not.toEqual(population(7, PHASES));
});

test("the wishes of riders besides the first ride are rides, fares and drivers as 5 to 2 to 1", () => {
  const wishes = ridersOf(population(1, PHASES)).flatMap(({ intentions }) => intentions.slice(1));
  const shareOf = (name: string) =>
    wishes.filter(({ endpoint }) => endpoint === name).length / wishes.length;
  expect(wishes.length).toBeGreaterThan(2_000);
  expect(Math.abs(shareOf("rides") - 5 / 8)).toBeLessThan(0.03);
  expect(Math.abs(shareOf("fares") - 2 / 8)).toBeLessThan(0.03);
  expect(Math.abs(shareOf("drivers") - 1 / 8)).toBeLessThan(0.03);
});

test("every rider opens the app for a ride, and wants nothing after the end", () => {
  for (const { intentions } of ridersOf(population(1, PHASES))) {
    expect(intentions[0]!.endpoint).toBe("rides");
    const times = intentions.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(lengthOf(PHASES));
  }
});

test("a script polls through the whole surge, and only then", () => {
  const { quietMs, surgeMs } = PHASES;
  const scripts = population(1, PHASES).filter(({ kind }) => kind === "script");
  expect(scripts).toHaveLength(SCRIPTS);
  for (const { intentions } of scripts) {
    expect(intentions).toHaveLength(surgeMs / POLL_MS);
    expect(intentions[0]!.atMs).toBeGreaterThanOrEqual(quietMs);
    expect(intentions.at(-1)!.atMs).toBeLessThan(quietMs + surgeMs);
  }
});

describe("a share", () => {
  test.for([1, 0.5, 0.123, 0.1])("of %d has that share of the riders", (share) => {
    expect(ridersOf(population(1, PHASES, share))).toHaveLength(Math.round(RIDERS * share));
  });

  test("has that share of the scripts, but one at least", () => {
    const scripts = [1, 0.5, 0.1].map((share) =>
      population(1, PHASES, share).filter(({ kind }) => kind === "script"),
    );
    expect(scripts.map(({ length }) => length)).toEqual([SCRIPTS, SCRIPTS / 2, 1]);
  });

  test("comes in the same time, as many times rarer", () => {
    const { quietMs, surgeMs } = PHASES;
    const [all, tenth] = [1, 0.1].map((share) =>
      ridersOf(population(1, PHASES, share))
        .map(({ intentions }) => intentions[0]!.atMs)
        .filter((atMs) => atMs >= quietMs && atMs < quietMs + surgeMs),
    ) as [number[], number[]];
    expect(all.length / tenth.length).toBe(10);
    // 1,800 riders at 200 per second.
    for (const arrivals of [all, tenth]) {
      expect(Math.max(...arrivals)).toBeLessThan(quietMs + 9_000);
      expect(Math.max(...arrivals)).toBeGreaterThan(quietMs + 8_500);
    }
  });
});

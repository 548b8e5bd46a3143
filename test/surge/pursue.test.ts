import { describe, expect, test } from "vitest";

import type { Kind, Person } from "../../bench/surge/people/person.ts";
import { live } from "../../bench/surge/people/pursue.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";
import { type Call, type Reply, virtualWorld } from "./world.ts";

/** Lets a person live who wants one ride at once, and no other; `answers` are told in turn, the last for ever. */
async function lifeOf(kind: Kind, answers: readonly Reply[], seed = 1): Promise<readonly Call[]> {
  const { world, calls, run } = virtualWorld((call) => answers[call] ?? answers.at(-1)!);
  const intentions = [{ atMs: 0, endpoint: "rides" as const }];
  const person: Person = { id: "somebody", kind, intentions, seed };
  const ended = live(person, world);
  await run();
  await ended;
  return calls;
}

const timesOf = (calls: readonly Call[]) => calls.map(({ atMs }) => atMs);
const gapsOf = (times: readonly number[]) => times.slice(1).map((time, i) => time - times[i]!);

const SERVED: Reply = { status: 200, afterMs: 30 };
const FAILED: Reply = { status: 503, afterMs: 0 };
const NEVER: Reply = { status: 0, afterMs: 1_000_000 };
const denied = (retryAfterMs: number): Reply => ({ status: 429, afterMs: 100, retryAfterMs });

describe("a patient rider", () => {
  test("obeys Retry-After, from the moment of the answer", async () => {
    const calls = await lifeOf("patient", [denied(5_000), denied(1_000), SERVED]);
    expect(timesOf(calls)).toEqual([0, 5_100, 6_200]);
  });

  test("does not ask again while an answer is missing", async () => {
    expect(await lifeOf("patient", [NEVER])).toHaveLength(1);
  });

  test("comes back 2 to 5 s after an error, and stands four of them", async () => {
    const gaps = gapsOf(timesOf(await lifeOf("patient", [FAILED])));
    expect(gaps).toHaveLength(3);
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(2_000);
      expect(gap).toBeLessThanOrEqual(5_001);
    }
  });

  test("gives up after a minute", async () => {
    const calls = await lifeOf("patient", [{ ...denied(20_000), afterMs: 0 }]);
    expect(timesOf(calls)).toEqual([0, 20_000, 40_000]);
  });
});

describe("an impatient rider", () => {
  test("taps again while no answer comes, the longer the faster, but no faster than a thumb", async () => {
    const times = timesOf(await lifeOf("impatient", [NEVER]));
    const gaps = gapsOf(times);
    expect(gaps.slice(0, 4).map(Math.round)).toEqual([2_000, 1_400, 980, 686]);
    expect(new Set(gaps.slice(4).map(Math.round))).toEqual(new Set([500]));
    expect(times.at(-1)).toBeLessThan(30_000);
    expect(times.at(-1)).toBeGreaterThanOrEqual(29_500);
  });

  test("does not obey Retry-After", async () => {
    const calls = await lifeOf("impatient", [denied(20_000), SERVED]);
    expect(calls).toHaveLength(2);
    expect(calls[1]!.atMs).toBeGreaterThanOrEqual(600);
    expect(calls[1]!.atMs).toBeLessThanOrEqual(2_101);
  });

  test("does not tap again where an earlier tap is answered while a later one's error is slept over", async () => {
    // The second tap, after 2 s, fails at once; the first one is served before the rider comes back from that.
    for (let seed = 0; seed < 20; seed++) {
      const first = { status: 200, afterMs: 2_100 };
      expect(await lifeOf("impatient", [first, FAILED], seed * 2 ** 27)).toHaveLength(2);
    }
  });
});

test("a script asks once for each of its times, with any answers", async () => {
  const { world, calls, run } = virtualWorld(() => NEVER);
  const intentions = [0, 40, 80].map((atMs) => ({ atMs, endpoint: "rides" as const }));
  void live({ id: "script-0", kind: "script", intentions, seed: 1 }, world);
  await run();
  expect(timesOf(calls)).toEqual([0, 40, 80]);
});

test("a wish begins at its time, after any result of the ones before", async () => {
  const { world, calls, run } = virtualWorld(() => NEVER);
  const intentions = [100, 700].map((atMs) => ({ atMs, endpoint: "fares" as const }));
  void live({ id: "rider-0", kind: "patient", intentions, seed: 1 }, world);
  await run();
  expect(timesOf(calls)).toEqual([100, 700]);
});

test("no person acts after being served", async () => {
  const next = random(3);
  for (let run = 0; run < runs(500); run++) {
    const answers = Array.from({ length: 80 }, () => ({
      status: [200, 429, 429, 503, 0][Math.floor(next() * 5)]!,
      afterMs: next() * 6_000,
      retryAfterMs: 1_000,
    }));
    const kind = next() < 0.5 ? "patient" : "impatient";
    const calls = await lifeOf(kind, answers, next() * 2 ** 32);
    const servedMs = Math.min(
      ...calls.filter(({ reply }) => reply.status === 200).map((c) => c.atMs + c.reply.afterMs),
    );
    const late = calls.filter(({ atMs }) => atMs > servedMs + 0.01);
    expect([run, kind, late]).toEqual([run, kind, []]);
  }
});

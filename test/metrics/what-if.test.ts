import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { replayUnder } from "../../src/metrics/replay.ts";
import type { TracedRequest } from "../../src/metrics/trace-text.ts";
import { whatIf } from "../../src/metrics/what-if.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";
import { MORNING, sampledClients, traced } from "./traced.ts";
import { zipf } from "./zipf.ts";

const MINUTE = 60_000;
const SPAN = { fromMs: MORNING, toMs: MORNING + 10 * MINUTE };

test.each(everyPolicy(7, "10s").filter(({ algorithm }) => algorithm !== "concurrency"))(
  "a replay gives each request the verdict of the model of $algorithm",
  (options) => {
    const policy = compilePolicy(options);
    const { model } = policy.implementation;
    const { limit, parameters } = policy;
    for (let run = 0; run < runs(20); run++) {
      const draw = random(run);
      const requests: TracedRequest[] = [];
      let state: unknown;
      let ms = MORNING;
      for (let i = 0; i < 300; i++) {
        ms += Math.floor(draw() * 1_500);
        const cost = 1 + Math.floor(draw() * 3);
        const isDenied = draw() < 0.2;
        const operation = isDenied ? "peek" : "consume";
        const row = model(state, { nowUs: ms * 1000, operation, cost, limit, parameters });
        ({ state } = row);
        requests.push({ ms, cost, isDenied, hasRoom: row.allowed });
      }
      const said = requests.map(({ hasRoom }) => hasRoom);
      expect(new Set(said).size).toBe(2);
      expect(replayUnder(policy)(requests)).toEqual(said);
    }
  },
);

/** Ten minutes of many clients in two isolates: their answers, and the truth from a replay of all of them. */
async function simulate(limits: readonly [before: number, after: number], seed: number) {
  const [before, after] = limits.map((limit) =>
    compilePolicy(fixedWindow({ name: "p", limit, window: "5m" })),
  ) as [ReturnType<typeof compilePolicy>, ReturnType<typeof compilePolicy>];
  const { clock, open, reader } = traced(before);
  const isolates = [open(`secret ${seed}`), open(`secret ${seed}`)];
  const draw = zipf(10_000, 0.8, seed);
  const everybody = new Map<string, TracedRequest[]>();
  const total = 40_000;
  for (let i = 0; i < total; i++) {
    clock.ms = MORNING + Math.floor((i * 10 * MINUTE) / total);
    const identity = `ip:192.0.2.${draw()}`;
    const hasRoom = isolates[i % 2]!.decide(identity);
    const requests = everybody.get(identity) ?? [];
    requests.push({ ms: clock.ms, cost: 1, hasRoom, isDenied: false });
    everybody.set(identity, requests);
    if (i % (total / 10) === total / 10 - 1) {
      await Promise.all(isolates.map(({ flush }) => flush()));
    }
  }
  const truth = { before: 0, after: 0, affected: 0 };
  for (const requests of everybody.values()) {
    const denied = requests.filter(({ hasRoom }) => !hasRoom).length;
    const would = replayUnder(after)(requests).filter((hasRoom) => !hasRoom).length;
    truth.before += denied;
    truth.after += would;
    if (would !== denied) truth.affected++;
  }
  const { sample, counted } = await reader.sampleOfPolicy("p", SPAN);
  return { truth, total, said: whatIf(sample, counted, before, after) };
}

test.each([
  [3, 2],
  [3, 4],
] as const)(
  "on Zipf traffic with the limit changed from %i to %i, the interval has the truth nine times out of ten",
  { timeout: 300_000 },
  async (...limits) => {
    const within = { denied: 0, affected: 0 };
    const wanted = runs(10);
    let answered = 0;
    for (let seed = 0; seed < wanted; seed++) {
      const { truth, total, said } = await simulate(limits, seed);
      expect(said).toMatchObject({ agreement: 1, requests: total, deniedBefore: truth.before });
      const { deniedAfter, partitionsAffected } = said;
      if (deniedAfter.estimate === null) continue;
      answered++;
      const has = ({ low, high }: typeof deniedAfter, value: number) =>
        low! <= value && value <= high!;
      if (has(deniedAfter, truth.after)) within.denied++;
      if (has(partitionsAffected, truth.affected)) within.affected++;
    }
    // Of a few, one may be the tenth.
    const nineOfTen = (count: number) => Math.floor(0.9 * count);
    expect(answered).toBeGreaterThanOrEqual(nineOfTen(wanted));
    expect(within.denied).toBeGreaterThanOrEqual(nineOfTen(answered));
    expect(within.affected).toBeGreaterThanOrEqual(nineOfTen(answered));
  },
);

const POLICY = compilePolicy(fixedWindow({ name: "p", limit: 3, window: "1h" }));

test("fewer than ten partitions say what share of all changes, and no number", async () => {
  const { open, reader, secret, clock } = traced(POLICY);
  const isolate = open();
  const harder = compilePolicy(fixedWindow({ name: "p", limit: 1, window: "1h" }));
  const clients = sampledClients(secret, 10);
  const say = async (some: readonly string[]) => {
    for (let i = 0; i < 3; i++) for (const client of some) isolate.decide(client);
    clock.ms++;
    await isolate.flush();
    const { sample, counted } = await reader.sampleOfPolicy("p", SPAN);
    return whatIf(sample, counted, POLICY, harder);
  };
  const nine = await say(clients.slice(0, 9));
  expect(nine).toMatchObject({ tooFew: true, partitions: 9, requests: 27, deniedBefore: 0 });
  expect(nine.deniedAfter).toEqual({ sampled: 18, estimate: null, low: null, high: null });
  // Were less than two thirds of all affected, nine of nine would be a chance of 1 in 40.
  expect(nine.affectedShare).toEqual({ low: 0.663, high: 1 });
  const ten = await say(clients.slice(9));
  expect(ten).toMatchObject({ tooFew: false, partitions: 10, agreement: 1, affectedShare: null });
  expect(ten.partitionsAffected).toMatchObject({ sampled: 10, estimate: 640, low: 185 });
});

import { setTimeout as sleep } from "node:timers/promises";

import { interleave } from "../compare.ts";
import type { ScriptCall } from "./capture.ts";
import type { BenchRedis, Sample } from "./server.ts";
import { fillSteadily } from "./steady-log.ts";
import type { Quota, Subject } from "./subject.ts";

export type Operation = "allow" | "deny";

export interface Load {
  readonly operation: Operation;
  readonly limit: number;
  readonly identities: number;
  readonly rounds: number;
}

/** Five days: no unit comes back while denials are measured. Milliseconds. */
const LONG = 432_000_000;
/** Requests of each identity in a round, besides the first; few enough for the smallest limit. */
const REPEATS = 4;

let names = 0;
const newIdentities = (count: number) => Array.from({ length: count }, () => `user-${++names}`);

/** Calls of cost 1, each identity's far apart. */
async function callsOf(
  subject: Subject,
  identities: readonly string[],
  quota: Quota,
): Promise<ScriptCall[]> {
  const calls: ScriptCall[] = [];
  for (const identity of identities) calls.push(await subject.call(identity, 1, quota));
  return calls;
}

/** Every reply must be of the kind that is measured, or the numbers are about something else. */
async function expectAll(subject: Subject, quota: Quota, load: Load, sample: Sample) {
  if (subject.decidesInClient) return sample;
  for (const reply of sample.replies) {
    if ((await subject.admits(reply, quota)) !== (load.operation === "allow")) {
      throw new Error(
        `${subject.name} does not ${load.operation} at ${load.limit}: ${String(reply)}`,
      );
    }
  }
  return sample;
}

/** Requests of identities that asked before, with a window that none of them fills, or that all have filled. */
export async function measureCounts(
  server: BenchRedis,
  subjects: readonly Subject[],
  load: Load,
): Promise<Sample[][]> {
  const quota = { limit: load.limit, window: LONG };
  const full = newIdentities(load.operation === "deny" ? load.identities : 0);
  for (const subject of subjects) {
    for (const identity of full) {
      await server.send([await subject.call(identity, load.limit, quota)]);
    }
  }
  const measures = subjects.map((subject) => async () => {
    let identities = full;
    if (load.operation === "allow") {
      identities = newIdentities(load.identities);
      await server.send(await callsOf(subject, identities, quota));
    }
    const repeated = Array.from({ length: REPEATS }, () => identities).flat();
    const sample = await server.measure(await callsOf(subject, repeated, quota));
    return expectAll(subject, quota, load, sample);
  });
  const samples = await interleave(measures, load.rounds);
  await server.redis.flushall();
  return samples;
}

/** Logs that a steady stream keeps full: with each admitted request, about one unit leaves. */
export async function measureLogs(
  server: BenchRedis,
  subjects: readonly Subject[],
  load: Load,
): Promise<{ samples: Sample[][]; bytes: number[] }> {
  // A little longer than it takes to ask all identities once, so that none is denied.
  const pace = 25 + load.identities;
  const window = load.operation === "allow" ? Math.floor(load.limit * pace * 0.9) : 30 * LONG;
  const quota = { limit: load.limit, window };
  const identities = newIdentities(load.identities);
  const warmers = identities.slice(0, Math.floor(identities.length / 5));
  const measured = identities.slice(warmers.length);
  const bytes: number[] = [];
  for (const subject of subjects) {
    for (const identity of identities) await fillSteadily(server.redis, subject, identity, quota);
    bytes.push(await memoryOf(server, await subject.call(identities[0]!, 1, quota)));
  }
  // Always in the same order, or the time between two requests of an identity would not be even.
  async function round(): Promise<Sample[]> {
    if (load.operation === "allow") await sleep(pace);
    const samples: Sample[] = [];
    for (const subject of subjects) {
      // After the pause the processor's caches hold other things: some calls that are not measured bring it back.
      await server.send(await callsOf(subject, warmers, quota));
      const sample = await server.measure(await callsOf(subject, measured, quota));
      samples.push(await expectAll(subject, quota, load, sample));
    }
    return samples;
  }
  // The first round removes the entries that left the logs' windows while the logs were filled.
  await round();
  const [rounds] = await interleave([round], load.rounds);
  const samples = subjects.map((_, i) => rounds!.map((samples) => samples[i]!));
  await server.redis.flushall();
  return { samples, bytes };
}

/** Bytes of all keys that a call names. */
export async function memoryOf({ redis }: BenchRedis, { keys }: ScriptCall): Promise<number> {
  let bytes = 0;
  for (const key of keys) bytes += (await redis.memory("USAGE", key, "SAMPLES", 0)) ?? 0;
  return bytes;
}

import { setTimeout as sleep } from "node:timers/promises";

import { expect } from "vitest";

import type { ErrorCode } from "../../src/index.ts";
import { figures } from "../support/chaos/figures.ts";
import type { FaultProxy, Received } from "../support/fault-proxy.ts";
import { charges } from "./charges.ts";
import { startStopwatch } from "./stopwatch.ts";
import { LIMIT, type Outcome, type Subject, type Verdict, VERDICTS } from "./subject.ts";

export interface Outage {
  readonly name: string;
  begin(): unknown;
  end(): unknown;
  /** The code under which it is reported. */
  readonly code: ErrorCode;
  /** It takes the whole timeout to notice. */
  readonly hangs?: boolean;
  /** Redis comes back empty. */
  readonly forgets?: boolean;
}

/** The timeout of a subject. Where nothing hangs it is ample, because a busy machine stalls this process, too. */
export const timeoutFor = ({ hangs }: Pick<Outage, "hangs">) => (hangs ? "250ms" : "2000ms");

/** In milliseconds: five failures open the breaker, and a second later it probes once. */
const lasts = ({ hangs }: Outage) => (hangs ? 2_700 : 1_300);

/** The units taken before the outage: without Redis, an isolate counts on from the ones that it saw admitted. */
const TAKEN = 3;

/** A user with quota left, and one who is known to have none. */
interface Users {
  readonly verdict: Verdict;
  readonly user: string;
  readonly spent: string;
}

/** As many as it asks for at once: a loop for each verdict. */
const LOOPS = VERDICTS.length;

/** Takes a subject through an outage of its store, and expects of it all that is promised. */
export async function rideOut(subject: Subject, proxy: FaultProxy, outage: Outage): Promise<void> {
  const everybody = await prepareAll(subject);

  await outage.begin();
  const [received, reported] = [proxy.received.length, subject.reported.length];
  const started = performance.now();
  const during = await Promise.all(
    everybody.map((users) => load(subject, users, started + lasts(outage))),
  );
  const asked = proxy.received.slice(received);
  const seconds = (performance.now() - started) / 1000;

  for (const [i, verdict] of VERDICTS.entries()) expectVerdicts(verdict, during[i]!);
  expectBreakers(subject, asked, seconds);
  // An outage is told once for each breaker, not once per request.
  expect(subject.reported.slice(reported)).toEqual(Array(subject.breakers).fill(outage.code));
  expect(subject.complaints).toEqual([]);
  const outcomes = during.flat();
  for (const { code } of outcomes) {
    if (code !== undefined) expect([outage.code, "ERR_STORE_SUSPENDED"]).toContain(code);
  }

  await outage.end();
  const stop = startStopwatch();
  const mark = outage.forgets ? proxy.forwarded.length : 0;
  await Promise.all(everybody.map(({ verdict, user }) => untilCounted(subject, verdict, user)));
  const exactAfter = stop();
  expect(exactAfter.ownMs).toBeLessThan(2_000);
  for (const { verdict, user } of everybody) {
    // A request that reached Redis late is counted late, and once.
    await proxy.settled();
    const { remaining } = await untilCounted(subject, verdict, user);
    const { costs, unheard } = charges(proxy.forwarded.slice(mark), await subject.partition(user));
    // Exactly what Redis said that it took, unless it said nothing.
    expect(remaining).toBeLessThanOrEqual(LIMIT - costs.length);
    expect(remaining).toBeGreaterThanOrEqual(LIMIT - costs.length - unheard);
  }

  const count = (status: number) => outcomes.filter((outcome) => outcome.status === status).length;
  figures(`${subject.name}, ${outage.name}`, {
    seconds,
    requests: outcomes.length,
    passed: count(200),
    "denied (429)": count(429),
    "refused (503)": count(503),
    "waited for Redis": asked.length,
    "slowest ms": Math.max(...outcomes.map(({ ms }) => ms)),
    "exact after ms": exactAfter.ms,
  });
}

/** The first answer that is the store's. */
async function untilCounted(subject: Subject, verdict: Verdict, user: string): Promise<Outcome> {
  for (;;) {
    const outcome = await subject.ask(verdict, user);
    if (outcome.reason !== "store-unavailable") return outcome;
    await sleep(5);
  }
}

/** Again, if a busy machine missed enough timeouts that a breaker opened before the outage. */
async function prepareAll(subject: Subject): Promise<readonly Users[]> {
  for (;;) {
    const reported = subject.reported.length;
    const everybody = await Promise.all(VERDICTS.map((verdict) => prepare(subject, verdict)));
    if (subject.reported.length === reported) return everybody;
  }
}

/** Before the fault is planted; but a busy machine may miss a timeout all the same. */
async function prepare(subject: Subject, verdict: Verdict): Promise<Users> {
  const spent = crypto.randomUUID();
  while ((await untilCounted(subject, verdict, spent)).reason !== "cached-denial");
  for (;;) {
    const user = crypto.randomUUID();
    const taken: Outcome[] = [];
    for (let request = 0; request < TAKEN; request++) taken.push(await subject.ask(verdict, user));
    // Of a user whom the memory has counted already, the verdict would come too early.
    if (taken.every(({ reason }) => reason === "allowed")) return { verdict, user, spent };
    await sleep(100);
  }
}

/** One request after the other, for some time and more than the limit; a user without quota tries now and then. */
async function load(
  subject: Subject,
  { verdict, user, spent }: Users,
  until: number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  while (performance.now() < until || outcomes.length < LIMIT + 10) {
    outcomes.push(await subject.ask(verdict, user));
    if (outcomes.length % 10 === 0) {
      // A known denial stays, under any verdict.
      expect(await subject.ask(verdict, spent)).toMatchObject({
        status: 429,
        reason: "cached-denial",
      });
    }
    await sleep(20);
  }
  return outcomes;
}

function expectVerdicts(verdict: Verdict, outcomes: readonly Outcome[]): void {
  expect(new Set(outcomes.map(({ reason }) => reason))).toEqual(new Set(["store-unavailable"]));
  const statuses = outcomes.map(({ status }) => status);
  const passed = { open: statuses.length, closed: 0, local: LIMIT - TAKEN }[verdict];
  const denied = { open: 200, closed: 503, local: 429 }[verdict];
  expect(statuses).toEqual(statuses.map((_status, request) => (request < passed ? 200 : denied)));
}

/**
 * Five failures open a breaker for the users that fail then, and all share one probe per second. Only their number is
 * compared: a busy machine moves their times, which `test/store/plain-breaker.test.ts` holds by a set clock.
 */
function expectBreakers(subject: Subject, asked: readonly Received[], seconds: number): void {
  const byVerdict = VERDICTS.map((verdict) =>
    asked.filter(({ body }) => body.includes(`}:${verdict}`)),
  );
  const groups = subject.breakers === 1 ? [asked] : byVerdict;
  for (const requests of groups) {
    // After three failures of one user the next one of each other is enough; those under way may fail, too.
    const users = LOOPS / subject.breakers;
    expect(requests.length).toBeGreaterThanOrEqual(5);
    expect(requests.length).toBeLessThanOrEqual(5 + 4 * (users - 1) + users + Math.ceil(seconds));
  }
}

import { randomLcg, randomUniform } from "d3-random";

import type { Intention, Person } from "./population.ts";

/** An answer: status 0 is no answer at all. */
export interface Answer {
  readonly status: number;
  /** How long the answer asks to wait; a usual wait if it does not say. */
  readonly retryAfterMs: number;
}

/** The world that a person acts in. Its times are milliseconds after the run began. */
export interface World {
  now(): number;
  /** Resolves at once if the time has passed. */
  until(ms: number): Promise<void>;
  /**
   * Asks on behalf of an intention.
   *
   * @param atMs when the person meant to ask: a late driver must not shorten the latency that the person sees
   */
  ask(intention: Intention, atMs: number): Promise<Answer>;
}

/** A rider gives up after that long without success. */
const PATIENT_MS = 60_000;
const IMPATIENT_MS = 30_000;
/** As many errors in a row as a patient rider's app stands. */
const MOST_FAILURES = 4;
/** An impatient rider taps again after that long, sooner each time, but no faster than a thumb. */
const FIRST_TAP_MS = 2_000;
const LAST_TAP_MS = 500;
const SOONER = 0.7;

/** Pursues all wishes of a person. Each begins at its time, even if those before it failed. */
export async function live(person: Person, world: World): Promise<void> {
  const uniform = randomUniform.source(randomLcg(person.seed / 2 ** 32));
  const act = { patient, impatient, script }[person.kind];
  await Promise.all(person.intentions.map((intention) => act(intention, world, uniform)));
}

type Uniform = (from: number, to: number) => () => number;

/** One request, and another only as the answer says: after `Retry-After`, or a few seconds after an error. */
async function patient(intention: Intention, world: World, uniform: Uniform): Promise<void> {
  const end = intention.atMs + PATIENT_MS;
  let failures = 0;
  for (let atMs = intention.atMs; atMs < end && failures < MOST_FAILURES;) {
    await world.until(atMs);
    const { status, retryAfterMs } = await world.ask(intention, atMs);
    if (status === 200) return;
    if (status === 429) {
      atMs = world.now() + retryAfterMs;
    } else {
      failures++;
      atMs = world.now() + uniform(2_000, 5_000)();
    }
  }
}

/** Taps again while no answer comes, more often the slower it is, and soon after any answer but a success. */
async function impatient(intention: Intention, world: World, uniform: Uniform): Promise<void> {
  const end = intention.atMs + IMPATIENT_MS;
  let served = false as boolean;
  let tapMs = FIRST_TAP_MS;
  // Any of several requests for the same ride may be the one that is answered.
  const tap = async (atMs: number) => {
    served = (await world.ask(intention, atMs)).status === 200 || served;
    return "answered";
  };
  for (let atMs = intention.atMs; atMs < end;) {
    await world.until(atMs);
    // An earlier tap may have been answered meanwhile.
    if (served) return;
    if ((await Promise.race([tap(atMs), world.until(atMs + tapMs)])) === "answered") {
      atMs = world.now() + uniform(LAST_TAP_MS, FIRST_TAP_MS)();
    } else {
      atMs += tapMs;
      tapMs = Math.max(LAST_TAP_MS, SOONER * tapMs);
    }
  }
}

async function script(intention: Intention, world: World): Promise<void> {
  await world.until(intention.atMs);
  await world.ask(intention, intention.atMs);
}

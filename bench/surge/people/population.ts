import { randomExponential, randomLcg, randomPoisson, randomUniform } from "d3-random";

import type { Endpoint, Intention, Kind, Person } from "./person.ts";
import type { Phases } from "./phases.ts";

/** The reference's riders, and how many of them open the app per second once the surge begins. */
export const RIDERS = 2_000;
const ARRIVALS_PER_SECOND = 200;

/** The share of the riders who come before the surge, and of those who come after it. */
const QUIET_SHARE = 0.05;
const AFTER_SHARE = 0.05;

const IMPATIENT_SHARE = 0.4;

/** The reference's mix: 42,600 rides, 17,040 fares and 8,520 drivers are 5 to 2 to 1. */
const MIX: readonly Endpoint[] = [
  ...Array<Endpoint>(5).fill("rides"),
  ...Array<Endpoint>(2).fill("fares"),
  "drivers",
];

/** A rider wants something this often during a session, on average, besides the ride that the app was opened for. */
const FURTHER_WISHES = 2.5;
const PAUSE_MS = 12_000;

export const SCRIPTS = 4;
/** Above what the bucket of one rider refills, 10 a second. */
export const POLL_MS = 40;

/**
 * The people of a run, the same for the same seed: their wishes and times do not depend on the system. A small run has a share of
 * the riders and scripts; its arrivals are as many times rarer.
 */
export function population(seed: number, phases: Phases, share = 1): Person[] {
  const source = randomLcg(seed / 2 ** 32);
  const uniform = randomUniform.source(source);
  const wishes = randomPoisson.source(source)(FURTHER_WISHES);
  const pause = randomExponential.source(source)(1 / PAUSE_MS);
  const { quietMs, surgeMs, afterMs } = phases;
  const riders = Math.round(RIDERS * share);
  const [quiet, after] = [QUIET_SHARE, AFTER_SHARE].map((part) => Math.round(part * riders)) as [
    number,
    number,
  ];
  const surge = riders - quiet - after;
  const rushMs = Math.min(surgeMs, (surge / (ARRIVALS_PER_SECOND * share)) * 1000);

  const arrivals = [
    ...draws(quiet, uniform(0, quietMs)),
    ...draws(surge, uniform(quietMs, quietMs + rushMs)),
    ...draws(after, uniform(quietMs + surgeMs, quietMs + surgeMs + afterMs / 2)),
  ];
  const drawMix = uniform(0, MIX.length);
  const drawSeed = uniform(0, 2 ** 32);

  function intentionsFrom(arrivalMs: number): Intention[] {
    const intentions: Intention[] = [{ atMs: arrivalMs, endpoint: "rides" }];
    const count = wishes();
    for (let atMs = arrivalMs + pause(); intentions.length <= count; atMs += pause()) {
      intentions.push({ atMs, endpoint: MIX[Math.floor(drawMix())]! });
    }
    // The app is put away when the surge is over.
    const endMs = arrivalMs < quietMs + surgeMs ? quietMs + surgeMs : quietMs + surgeMs + afterMs;
    return intentions.filter(({ atMs }) => atMs < endMs);
  }

  const people = arrivals.map((arrivalMs, i): Person => {
    const kind: Kind = uniform()() < IMPATIENT_SHARE ? "impatient" : "patient";
    const intentions = intentionsFrom(arrivalMs);
    return { id: `rider-${i}`, kind, intentions, seed: drawSeed() };
  });
  for (let i = 0; i < Math.max(1, Math.round(SCRIPTS * share)); i++) {
    const intentions: Intention[] = [];
    for (let atMs = quietMs + drawMix(); atMs < quietMs + surgeMs; atMs += POLL_MS) {
      intentions.push({ atMs, endpoint: "rides" });
    }
    people.push({ id: `script-${i}`, kind: "script", intentions, seed: drawSeed() });
  }
  return people;
}

function draws(count: number, draw: () => number): number[] {
  return Array.from({ length: count }, draw);
}

import { randomExponential, randomLcg, randomPoisson, randomUniform } from "d3-random";

/** A quiet phase, the surge, and a phase after it, in milliseconds. */
export interface Phases {
  readonly quietMs: number;
  readonly surgeMs: number;
  readonly afterMs: number;
}

/** The endpoints that riders call, as the app names them. */
export type Endpoint = "rides" | "fares" | "drivers";

/** The routes of the demo's API. */
export const ROUTES: Record<Endpoint, { readonly method: string; readonly path: string }> = {
  rides: { method: "POST", path: "/api/rides/request" },
  fares: { method: "POST", path: "/api/fares/estimate" },
  drivers: { method: "GET", path: "/api/drivers/nearby" },
};

/** A person's wish: its time and its endpoint. Neither depends on the system. */
export interface Intention {
  /** Milliseconds after the run began. */
  readonly atMs: number;
  readonly endpoint: Endpoint;
}

export interface Person {
  /** Sent as `X-User-Id`. */
  readonly id: string;
  /**
   * The behaviour while no answer comes: a patient rider waits, an impatient one taps again, and a script polls without looking
   * at the answers.
   */
  readonly kind: "patient" | "impatient" | "script";
  readonly intentions: readonly Intention[];
  /** Draws this person's reactions. */
  readonly seed: number;
}

/** The incident's riders, and how many of them open the app per second once the surge begins. */
export const RIDERS = 2_000;
const ARRIVALS_PER_SECOND = 200;
/** The share of the riders who come before the surge, and of those who come after it. */
const QUIET_SHARE = 0.05;
const AFTER_SHARE = 0.05;
const IMPATIENT_SHARE = 0.4;
/** The incident's mix: 42,600 rides, 17,040 fares and 8,520 drivers are 5 to 2 to 1. */
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
const POLL_MS = 40;

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
  const quiet = Math.round(QUIET_SHARE * riders);
  const after = Math.round(AFTER_SHARE * riders);
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
    const kind = uniform()() < IMPATIENT_SHARE ? "impatient" : "patient";
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

/** What riders ask the API for, as the app names it. */
export type Endpoint = "rides" | "fares" | "drivers";

/** The routes of the demo's API. */
export const ROUTES: Record<Endpoint, { readonly method: string; readonly path: string }> = {
  rides: { method: "POST", path: "/api/rides/request" },
  fares: { method: "POST", path: "/api/fares/estimate" },
  drivers: { method: "GET", path: "/api/drivers/nearby" },
};

/**
 * How somebody behaves while nothing comes: a patient rider waits, an impatient one taps again, and a script polls
 * without looking at the answers.
 */
export type Kind = "patient" | "impatient" | "script";

/** Something that a person wants, whatever the system does: when, and what. */
export interface Intention {
  /** Milliseconds after the run began. */
  readonly atMs: number;
  readonly endpoint: Endpoint;
}

export interface Person {
  /** Sent as `X-User-Id`. */
  readonly id: string;
  readonly kind: Kind;
  readonly intentions: readonly Intention[];
  /** Draws this person's reactions. */
  readonly seed: number;
}

/** The endpoints that riders call, as the app names them. */
export type Endpoint = "rides" | "fares" | "drivers";

/** The routes of the demo's API. */
export const ROUTES: Record<Endpoint, { readonly method: string; readonly path: string }> = {
  rides: { method: "POST", path: "/api/rides/request" },
  fares: { method: "POST", path: "/api/fares/estimate" },
  drivers: { method: "GET", path: "/api/drivers/nearby" },
};

/**
 * The behaviour while no answer comes: a patient rider waits, an impatient one taps again, and a script polls without looking at
 * the answers.
 */
export type Kind = "patient" | "impatient" | "script";

/** A person's wish: its time and its endpoint. Neither depends on the system. */
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

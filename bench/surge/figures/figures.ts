/** The results of one run. Latencies are milliseconds from when the person meant to send the request. */
export interface Figures {
  readonly requests: number;
  readonly allowed: number;
  readonly denied: number;
  /** Answered with an error, or not at all. */
  readonly failed: number;
  readonly servedMeanMs: number;
  readonly servedP50Ms: number;
  readonly servedP95Ms: number;
  readonly servedP99Ms: number;
  readonly servedMaxMs: number;
  /** Denials that Redis decided, and those that the isolate remembered. */
  readonly deniedByRedis: number;
  readonly deniedByIsolate: number;
  /** Without the driver's own latency. */
  readonly deniedByRedisMeanMs: number;
  readonly deniedByIsolateMeanMs: number;
  /** The driver's own: of a request that a server in another process answers at once, at the load of this run. */
  readonly driverMs: number;
  readonly matchingCalls: number;
  /** Calls whose answer was still wanted. */
  readonly matchingUseful: number;
  /** Of the service's capacity in the surge, the share whose answers were still wanted. */
  readonly matchingUsefulShare: number;
  readonly longestQueue: number;
  /** The riders of the run, and those of them who got a ride while they waited. */
  readonly riders: number;
  readonly ridersServed: number;
  /** From wanting a ride to having it, over all requests that it took. */
  readonly waitedP50Ms: number;
  readonly waitedP95Ms: number;
  /** Requests above the policies' limits. */
  readonly overAdmitted: number;
  /** Calls of Redis for decisions. */
  readonly redisCalls: number;
}

/** The events within a second of a run. */
export interface Second {
  readonly second: number;
  readonly sent: number;
  readonly allowed: number;
  readonly denied: number;
  readonly failed: number;
  /** Of the requests that were meant for this second and were served; null if there were none. */
  readonly servedP50Ms: number | null;
  readonly servedP99Ms: number | null;
  readonly waiting: number;
}

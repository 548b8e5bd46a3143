import { TIMED_OUT, withTimeout } from "./time.ts";

/** Requests that wait for the work of another one. */
export interface WaitingRoom {
  /** Resolves with `true` when the room opens, or with `false` after `ms`. */
  wait(ms: number): Promise<boolean>;
  letGoOn(): void;
}

/**
 * Each waits with a timer of its own: on Workers the request that they wait for may be gone before its answer arrives.
 * The end does not resolve the promise of a request that has stopped waiting: Workers log a warning for a promise that
 * is resolved after its request has ended.
 */
export function createWaitingRoom(): WaitingRoom {
  const waiting = new Set<() => void>();

  return {
    async wait(ms) {
      let goOn!: () => void;
      const ended = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      waiting.add(goOn);
      const outcome = await withTimeout(ms, () => ended);
      waiting.delete(goOn);
      return outcome !== TIMED_OUT;
    },
    letGoOn() {
      for (const goOn of waiting) goOn();
    },
  };
}

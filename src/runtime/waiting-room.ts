import { withTimeout } from "./timeout.ts";

/** Requests that wait for what another one does. */
export interface WaitingRoom {
  /** Resolves when those who wait are let go on, or after `ms`. */
  wait(ms: number): Promise<void>;
  letGoOn(): void;
}

/**
 * Each waits with a timer of its own: on Workers the request that they wait for may be gone before its answer arrives. Who
 * has stopped waiting is not told of the end: Workers log a warning for a promise that is resolved after its request has
 * ended.
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
      await withTimeout(ms, () => ended);
      waiting.delete(goOn);
    },
    letGoOn() {
      for (const goOn of waiting) goOn();
    },
  };
}

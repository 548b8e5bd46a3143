import { createHash } from "node:crypto";

import type { Scheduler } from "./scheduler.ts";

/**
 * Puts the clock and the timers of the calling isolate in the place of the real ones, so that the product runs in
 * virtual time as it is. Returns what puts the real ones back.
 */
export function installVirtualGlobals(scheduler: Scheduler): () => void {
  const { setTimeout, clearTimeout } = globalThis;
  const { now } = Date;

  function isolateClock() {
    const { running } = scheduler;
    if (!running) throw new Error("The product did something that no event led to.");
    return running.isolate.clock;
  }

  globalThis.setTimeout = ((run: () => void, milliseconds: number) =>
    scheduler.at(
      isolateClock().timeAfter(milliseconds),
      run,
      scheduler.running,
    )) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((event?: ReturnType<Scheduler["at"]>) => {
    if (event) scheduler.cancel(event);
  }) as unknown as typeof clearTimeout;
  Date.now = () => isolateClock().wall();
  // The real one answers from another thread, in real time.
  const { digest } = crypto.subtle;
  crypto.subtle.digest = async (_algorithm, bytes) =>
    new Uint8Array(
      createHash("sha1")
        .update(bytes as Uint8Array)
        .digest(),
    ).buffer;

  return () => {
    crypto.subtle.digest = digest;
    Object.assign(globalThis, { setTimeout, clearTimeout });
    Date.now = now;
  };
}

import type { WaitUntil } from "../runtime/wait-until.ts";

/** What writes now and then what an isolate has gathered. */
export interface PeriodicWriter {
  /** Whether there is something to write now. */
  isDue(): boolean;
  /** Writes what is due. Rejects with nothing. */
  writeDue(): Promise<void>;
  /** Writes everything, due or not. Rejects with nothing. */
  flush(): Promise<void>;
}

/** Writes in the background of requests, and everything at the end. */
export interface PeriodicWrites {
  /** Starts what is due. */
  start(waitUntil: WaitUntil): void;
  /** Writes everything; resolves when also what was under way has ended. */
  flush(): Promise<void>;
}

export function periodicWrites(writers: readonly PeriodicWriter[]): PeriodicWrites {
  const underWay = new Set<Promise<void>>();

  async function follow(writing: Promise<void>): Promise<void> {
    underWay.add(writing);
    await writing;
    underWay.delete(writing);
  }

  return {
    start(waitUntil) {
      for (const writer of writers) if (writer.isDue()) waitUntil(follow(writer.writeDue()));
    },

    async flush() {
      // What it has taken is not found by those that follow.
      await Promise.all(underWay);
      await Promise.all(writers.map((writer) => writer.flush()));
    },
  };
}

import type { WaitUntil } from "../runtime/wait-until.ts";

/** A writer that periodically writes an isolate's counts. */
export interface PeriodicWriter {
  /** Whether there is something to write now. */
  isDue(): boolean;
  /** Writes due counts. Never rejects. */
  writeDue(): Promise<void>;
  /** Writes all counts, due or not. Never rejects. */
  flush(): Promise<void>;
}

/** Writes in the background of requests, and everything at the end. */
export interface PeriodicWrites {
  /** Starts due writes. */
  start(waitUntil: WaitUntil): void;
  /** Writes all counts; resolves when writes in flight have ended, too. */
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
      // A later flush does not find the counts that an earlier one has taken.
      await Promise.all(underWay);
      await Promise.all(writers.map((writer) => writer.flush()));
    },
  };
}

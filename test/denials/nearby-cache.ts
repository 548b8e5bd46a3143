import type { SharedCache } from "../../src/features/shared-denials.ts";

/** A cache for shared denials; `trip` takes as long as one way to it. */
export function nearbyCache(trip: () => Promise<void>): SharedCache {
  const notes = new Map<string, string>();
  return {
    async get(key) {
      await trip();
      const note = notes.get(key);
      await trip();
      return note;
    },
    async put(key, text) {
      await trip();
      notes.set(key, text);
    },
  };
}

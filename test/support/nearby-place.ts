import type { SharedCache } from "../../src/denials/shared-denials.ts";

/** A place for shared denials that is as far as `stroll` takes, one way. */
export function nearbyPlace(stroll: () => Promise<void>): SharedCache {
  const notes = new Map<string, string>();
  return {
    async get(key) {
      await stroll();
      const note = notes.get(key);
      await stroll();
      return note;
    },
    async put(key, text) {
      await stroll();
      notes.set(key, text);
    },
  };
}

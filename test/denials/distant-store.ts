import type { Store } from "../../src/store/store.ts";

/** A store that is as far as `travel` takes, one way, and told of with every call. */
export function distantStore(near: Store, travel: () => Promise<void>, called: () => void): Store {
  return {
    async decide(...request) {
      called();
      await travel();
      const reply = await near.decide(...request);
      await travel();
      return reply;
    },
    reset: (keys) => near.reset(keys),
  };
}

import type { Store } from "../../src/store/store.ts";
import type { CreateLimiterOptions, NoticedPolicy } from "../support/limiter/plain.ts";
import { createLimiter, memoryStore } from "../support/limiter/plain.ts";

/** Isolates on one store, with a clock that the test moves, and their notices. */
export interface Scene {
  readonly told: NoticedPolicy[];
  /** The notices so far, each as its kind or its share. */
  readonly kinds: () => readonly (string | number)[];
  /** Calls of the store about notices. */
  readonly marks: () => number;
  /** Calls of the store about requests. */
  readonly calls: () => number;
  /** Keys of all resets. */
  readonly resetKeys: () => number;
  readonly moveMs: (ms: number) => void;
  /** Makes the next calls about notices fail, after they have run or before. */
  readonly failing: ("before" | "after")[];
  /** Calls about requests wait for it. */
  gate: Promise<unknown> | undefined;
  /** Called with each notice. */
  listen: (notice: NoticedPolicy) => unknown;
  readonly isolate: (
    options: Omit<CreateLimiterOptions, "store">,
  ) => ReturnType<typeof createLimiter>;
  /** Resolves when no background work is left. */
  readonly idle: () => Promise<void>;
}

/** A moment at the beginning of a window of every length up to a day. */
const BEGIN_US = 20_000 * 86_400e6;

export function openScene(failure: () => Error): Scene {
  let nowUs = BEGIN_US;
  let marks = 0;
  let calls = 0;
  let resetKeys = 0;
  const told: NoticedPolicy[] = [];
  const failing: Scene["failing"] = [];
  const near = memoryStore({ now: () => nowUs });
  const store: Store = {
    ...near,
    async decide(...request) {
      const isMark = request[1][0]!.includes("!");
      if (!isMark) calls++;
      else marks++;
      if (!isMark) await scene.gate;
      const fault = isMark ? failing.shift() : undefined;
      if (fault === "before") throw failure();
      const reply = await near.decide(...request);
      if (fault === "after") throw failure();
      return reply;
    },
    reset(keys) {
      resetKeys += keys.length;
      return near.reset(keys);
    },
  };
  const scene: Scene = {
    resetKeys: () => resetKeys,
    told,
    kinds: () => told.map(({ kind, share }) => share ?? kind),
    marks: () => marks,
    calls: () => calls,
    moveMs: (ms) => void (nowUs += ms * 1000),
    failing,
    gate: undefined,
    listen: () => undefined,
    isolate: (options) =>
      createLimiter({
        ...options,
        store,
        onNotice: (_decision, policy) => {
          told.push(policy);
          return scene.listen(policy);
        },
      }),
    idle: () => new Promise((resolve) => setTimeout(resolve)),
  };
  return scene;
}

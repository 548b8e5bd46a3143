import { type Reply, type Store, StoreError } from "../../../src/index.ts";
import { openMemoryStore } from "../../../src/store/memory-store.ts";

/** A call that has reached a store, and waits for its answer. */
export interface HeldCall {
  readonly operation: string;
  readonly keys: readonly string[];
  readonly costs: readonly number[];
  /** Lets it be counted, long before its answer. */
  count(): Promise<void>;
  /** Lets it be counted and answered. */
  answer(): Promise<void>;
  /** Lets it be counted, and its answer be lost. */
  lose(): Promise<void>;
}

export interface HeldStore extends Store {
  /** In the order in which they were sent. */
  readonly calls: HeldCall[];
  nowUs: number;
}

/** A store whose answers a test gives, one by one, by a clock that the test moves. */
export function heldStore(): HeldStore {
  const counts = openMemoryStore({ now: () => store.nowUs });
  const calls: HeldCall[] = [];
  const store: HeldStore = {
    calls,
    nowUs: Date.UTC(2030, 0, 1) * 1000,
    now: () => store.nowUs,
    reset: (keys) => counts.reset(keys),
    decide: (...request) =>
      new Promise((resolve, reject) => {
        const [operation, keys, costs] = request;
        let counted: Reply | Promise<Reply> | undefined;
        const count = async () => (counted ??= counts.decide(...request));
        calls.push({
          operation,
          keys,
          costs,
          async count() {
            await count();
          },
          async answer() {
            resolve(await count());
            await turns();
          },
          async lose() {
            await count();
            reject(new StoreError("ERR_STORE_TIMEOUT", "lost"));
            await turns();
          },
        });
      }),
  };
  return store;
}

/** Lets everything go on that waits for promises, or for the end of a turn. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (let i = 0; i < 50; i++) await Promise.resolve();
  }
}

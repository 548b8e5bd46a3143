import { setRecent } from "../runtime/lru.ts";
import { monotonicNow } from "../runtime/time.ts";

/** Keys that this process blocks without asking Redis. */
export interface BlockedKeys {
  add(key: string, milliseconds: number): void;
  /** For how many milliseconds the key is still blocked; 0 if it is not. */
  leftMs(key: string): number;
  delete(key: string): void;
  clear(): void;
}

const MAX_KEYS = 10_000;

export function createBlockedKeys(): BlockedKeys {
  const untilMs = new Map<string, number>();
  return {
    add: (key, milliseconds) => setRecent(untilMs, key, monotonicNow() + milliseconds, MAX_KEYS),
    leftMs: (key) => Math.max(0, Math.ceil((untilMs.get(key) ?? 0) - monotonicNow())),
    delete: (key) => void untilMs.delete(key),
    clear: () => untilMs.clear(),
  };
}

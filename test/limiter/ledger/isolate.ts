import { compileFailures, type Failures } from "../../../src/features/holds/failures.ts";
import { Faults } from "../../../src/options/faults.ts";
import { createSlotBreaker } from "../../../src/store/cluster/slot-breaker.ts";
import { splitStore } from "../../../src/store/cluster/split-store.ts";
import { guardStore } from "../../../src/store/guarded-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { createLimiter, type ReservingLimiter } from "../../support/limiter/plain.ts";
import type { Setting } from "./draw.ts";
import { type LedgerPolicy, plansOf, policyOf } from "./policies.ts";

/** A limiter of one isolate, put together as `createLimiter()` does it for a Redis. */
export interface Isolate {
  readonly index: number;
  readonly limiter: ReservingLimiter;
  /** As this isolate has them. */
  readonly policies: readonly LedgerPolicy[];
  readonly failures: readonly Failures[];
}

/** No answer of the wire is ever slow: it fails at once, as if the time-out had passed. */
const PATIENCE_MS = 10_000;

export function openIsolate(
  index: number,
  { policies, isolates, isGuarded }: Setting,
  wire: Store,
  prefix: string,
): Isolate {
  const { isPlain, denialCache } = isolates[index]!;
  const own = policies.map((policy) => (isPlain ? { ...policy, refundable: false } : policy));
  const nowMs = () => wire.now!() / 1_000;
  const guarded = isGuarded
    ? guardStore(
        wire,
        { timeoutMs: PATIENCE_MS, now: nowMs, onStoreError: () => {} },
        createSlotBreaker(),
      )
    : wire;
  const given = own.map((policy) => policyOf(policy));
  const limiter = createLimiter({
    store: { ...splitStore(guarded), now: wire.now!.bind(wire) },
    policies: given,
    plans: plansOf(own),
    prefix,
    ...(!denialCache && { denialCache: false }),
  });
  return { index, limiter, policies: own, failures: compileFailures(given, new Faults()) };
}

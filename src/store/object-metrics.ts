import type { KeptMetrics } from "./kept-metrics.ts";
import type { MetricsStore } from "./metrics-store.ts";
import { callObject, type ObjectNamespace } from "./object-call.ts";

interface Stub {
  metrics<Name extends keyof KeptMetrics>(
    name: Name,
    args: Parameters<KeptMetrics[Name]>,
  ): Promise<ReturnType<KeptMetrics[Name]>>;
}

/** The metrics of the gateways with this prefix, in one Durable Object. */
export function objectMetrics(namespace: ObjectNamespace, prefix: string): MetricsStore {
  // No partition has this name: one that begins with `#` has 43 more characters.
  const object = { namespace, name: `${prefix}:{#metrics}`, has: "metrics" };
  return {
    add: (batch) => callObject(object, (stub: Stub) => stub.metrics("add", [batch])),
    read: (...asked) => callObject(object, (stub: Stub) => stub.metrics("read", asked)),
  };
}

import type { KeptValues } from "../../../src/store/kept-values.ts";

/** Values in memory, copied as a Durable Object copies them. */
export function keptValues(): KeptValues {
  const kept = new Map<string, unknown>();
  return {
    get: (name) => structuredClone(kept.get(name)),
    put: (name, value) => void kept.set(name, structuredClone(value)),
    delete: (name) => kept.delete(name),
    list({ prefix, reverse = false, limit = Infinity, end = "~" } = { prefix: "" }) {
      const names = [...kept.keys()].filter((name) => name.startsWith(prefix) && name < end);
      const sorted = reverse ? names.toSorted().toReversed() : names.toSorted();
      return sorted.slice(0, limit).map((name) => [name, structuredClone(kept.get(name))] as const);
    },
  };
}

import type { CompiledPolicy } from "../../src/policy/compile.ts";

/** A policy's promise for a window: the limit, and the time over which it is counted. */
export interface Promised {
  readonly limit: number;
  readonly windowUs: number;
}

export const promisedBy = ({ limit, windowUs }: CompiledPolicy): Promised => ({
  limit,
  windowUs: Math.round(windowUs),
});

/**
 * Remembers each admission, and says for any setting what its window holds. It forgets only what no setting that is alive
 * could count. A setting is alive that has asked within its own window, as long as the window of any such setting holds
 * anything: an empty state says nothing of those who asked.
 */
export function remembering() {
  const admissions: { readonly at: number; units: number; readonly hold?: unknown }[] = [];
  const asked = new Map<string, { readonly windowUs: number; at: number }>();
  /** Earlier admissions are unknown. */
  let knownSince = -Infinity;

  /** The units of the trailing window that ends now. */
  function held({ windowUs }: Pick<Promised, "windowUs">, now: number): number {
    const since = Math.max(now - windowUs, knownSince);
    return admissions.reduce((sum, { at, units }) => sum + (at > since ? units : 0), 0);
  }

  return {
    held,
    /** Says that a setting asks now. */
    ask({ limit, windowUs }: Promised, now: number): void {
      const alive = [...asked.values()].filter((each) => now - each.at < each.windowUs);
      if (alive.every((each) => held(each, now) === 0)) asked.clear();
      // Units admitted in this very moment are known in any case.
      const longest = asked.size > 0 ? Math.max(1, ...alive.map((each) => each.windowUs)) : 1;
      knownSince = Math.max(knownSince, now - longest);
      asked.set(`${limit}/${windowUs}`, { windowUs, at: now });
    },
    admit(now: number, units: number, hold?: unknown): void {
      admissions.push({ at: now, units, hold });
    },
    giveBack(hold: unknown, units: number): void {
      for (const admission of admissions) if (admission.hold === hold) admission.units -= units;
    },
    total: () => admissions.reduce((sum, { units }) => sum + units, 0),
  };
}

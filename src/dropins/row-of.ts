import type { Row } from "../algorithms/model.ts";
import type { Verdict } from "../decide/step.ts";

/** A verdict's row of the policy of this name; `undefined` if the policy took no part, as in a known denial. */
export function rowOf({ groups }: Verdict, name: string): Row | undefined {
  for (const { asked, rows } of groups) {
    const at = asked.group.policies.findIndex((policy) => policy.name === name);
    if (at >= 0) return rows[at];
  }
  return undefined;
}

/** How long a denied request has to wait, in whole seconds, from 1. */
export function waitSeconds({ groups }: Verdict): number {
  const waits = groups.flatMap(({ rows }) => rows.map(({ retryAfterUs }) => retryAfterUs));
  return secondsOf(Math.max(1, ...waits));
}

export function secondsOf(microseconds: number): number {
  return Math.ceil(microseconds / 1e6);
}

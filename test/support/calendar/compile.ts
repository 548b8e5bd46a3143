import { calendar } from "../../../src/features/calendar-feature.ts";
import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import type { Store } from "../../../src/store/store.ts";
import { compile } from "../compile-policy.ts";

/** Policies as an isolate with this clock, in microseconds since 1970, has a store count them. */
export function compileAt(nowUs: () => number, ...policies: Policy[]): readonly CompiledPolicy[] {
  return compile(calendar.adopt(policies, { now: nowUs } as Store));
}

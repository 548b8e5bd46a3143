import type { Administered } from "../../gateway/administered.ts";
import { HOUR_MS, MINUTE_MS } from "../../metrics/keys.ts";
import type { MetricsReader } from "../../metrics/reader.ts";
import { whatIf } from "../../metrics/what-if.ts";
import { type Call, isoTime, json, readSmallBody, type Route } from "../call.ts";
import { faulty, Refusal } from "../refusal.ts";
import { checked, WhatIfBody } from "../schemas.ts";

/**
 * Says what other numbers of a policy would have changed.
 *
 * @param upToDate reads what isolates have written, this one included
 */
export function whatIfRoute(
  { editPolicy }: Administered,
  upToDate: () => Promise<MetricsReader>,
): Route {
  async function answer(call: Call): Promise<Response> {
    const body = await readSmallBody(call);
    const { policy, numbers, minutes = HOUR_MS / MINUTE_MS } = checked(WhatIfBody, body);
    const edited = editPolicy(policy, numbers);
    if (!edited) {
      throw new Refusal(
        404,
        "No rule in force has a policy of this name; GET /rules has the names.",
      );
    }
    const { before, after, faults } = edited;
    if (faults.length > 0) throw faulty(faults);
    const reader = await upToDate();
    const toMs = Date.now();
    const fromMs = (Math.floor(toMs / MINUTE_MS) - minutes + 1) * MINUTE_MS;
    const { sample, counted } = await reader.sample(policy, { fromMs, toMs });
    return json({
      policy,
      numbers,
      from: isoTime(fromMs),
      to: isoTime(toMs),
      ...whatIf(sample, counted, before, after),
    });
  }

  return { method: "POST", path: "/what-if", writes: false, answer };
}

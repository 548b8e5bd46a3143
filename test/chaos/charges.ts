import type { Forwarded } from "../support/fault-proxy.ts";

export interface Charges {
  /** What Redis took, by its own word. */
  readonly costs: readonly number[];
  /** Requests to take something of which Redis never said whether it did. */
  readonly unheard: number;
}

/** What Redis was made to take from a partition. */
export function charges(forwarded: readonly Forwarded[], partition: string): Charges {
  const costs: number[] = [];
  let unheard = 0;
  for (const { body, reply } of forwarded) {
    if (!body.includes(`{${partition}}`)) continue;
    const [command, , keys, ...rest] = JSON.parse(body) as string[];
    const [operation, cost] = rest.slice(Number(keys));
    if (!/^eval/i.test(command!) || (operation !== "consume" && operation !== "charge")) continue;
    if (reply?.status === 200) costs.push(Number(cost));
    else if (reply === undefined || reply.body.includes("may have run")) unheard++;
    // Any other refusal, such as of a script that Redis has forgotten, took nothing.
  }
  return { costs, unheard };
}

import type { Forwarded } from "../support/fault-proxy.ts";

/** The costs that Redis was made to take from a partition, by what reached it and what it said to that. */
export function charges(forwarded: readonly Forwarded[], partition: string): number[] {
  const costs: number[] = [];
  for (const { body, reply } of forwarded) {
    // A refusal, such as of a script that Redis has forgotten, took nothing.
    if (!body.includes(`{${partition}}`) || reply?.status !== 200) continue;
    const [command, , keys, ...rest] = JSON.parse(body) as string[];
    const [operation, cost] = rest.slice(Number(keys));
    if (!/^eval/i.test(command!) || (operation !== "consume" && operation !== "charge")) continue;
    costs.push(Number(cost));
  }
  return costs;
}

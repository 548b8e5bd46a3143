import type { Faults } from "./faults.ts";
import { kindOf } from "./kind-of.ts";
import { NAME_ELSEWHERE } from "./messages.ts";

/** What other limiters call the options of a policy. Some of these names resemble a wrong one of ours. */
export const OF_POLICIES = {
  max: "limit: 100",
  points: "limit: 100",
  tokens: "limit: 100",
  windowMs: 'window: "1m"',
  duration: 'window: "1m"',
  interval: 'window: "1m"',
};

/** The options without those that have another name here, each of which is a fault: people who move write them first. */
export function refuseNames<Options extends object>(
  options: Options,
  names: Readonly<Record<string, string>>,
  path: string,
  faults: Faults,
): Options {
  if (typeof options !== "object" || options === null) return options;
  const rest = { ...options };
  for (const [name, ours] of Object.entries(names)) {
    const value = rest[name as keyof Options];
    if (value !== undefined) faults.add(path + name, kindOf(value), NAME_ELSEWHERE, ours);
    delete rest[name as keyof Options];
  }
  return rest;
}

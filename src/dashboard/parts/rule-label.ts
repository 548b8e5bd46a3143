import { labelOf as labelOfRoute } from "../../metrics/fields.ts";
import type { Policy, Rule } from "../api/answers.ts";

/** A rule as counts name it: by its methods and path. */
export function labelOf({ method = "*", path }: Rule): string {
  return labelOfRoute([method].flat(), path);
}

/** The quota of a policy, in words. */
export function termsOf({ algorithm, limit, window, refill, per, ttl }: Policy): string {
  if (algorithm === "token-bucket") return `${limit}, ${refill} back every ${per}`;
  if (algorithm === "concurrency") return `${limit} at once${ttl ? `, for ${ttl} at most` : ""}`;
  return `${limit} every ${window}`;
}

/** The client that a policy counts, in words. */
export function sourcesOf(partition: unknown): string {
  if (partition === undefined) return "";
  if (partition === "*") return "everybody together";
  return Array.isArray(partition)
    ? partition.map((source) => [source as unknown].flat().join(" and ")).join(", else ")
    : String(partition);
}

/** The effect of a policy on requests beyond its limit, in words. */
const MODES: Readonly<Record<string, string>> = {
  enforce: "denies",
  shadow: "only watches",
  soft: "marks",
};

export function modeInWords(mode: string): string {
  return MODES[mode] ?? mode;
}

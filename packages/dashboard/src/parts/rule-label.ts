import { CALENDAR_UNITS } from "../../../../src/algorithms/calendar-units.ts";
import { labelOf as labelOfRoute } from "../../../../src/metrics/fields.ts";
import type { Policy, Rule } from "../api/answers.ts";
import { quota } from "./format.ts";

/** A rule as counts name it: by its methods and path. */
export function labelOf({ method = "*", path }: Rule): string {
  return labelOfRoute([method].flat(), path);
}

/** The quota of a policy, in words. */
export function termsOf(policy: Policy): string {
  const { algorithm, window, refill, per, ttl, aligned = true } = policy;
  const limit = quota(policy.limit);
  if (algorithm === "token-bucket") return `${limit}, ${quota(refill)} back every ${per}`;
  if (algorithm === "concurrency") return `${limit} at once${ttl ? `, for ${ttl} at most` : ""}`;
  if (!aligned) return `${limit} every ${window}, from a client's first request`;
  return `${limit} every ${window}${beginningOf(policy)}`;
}

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** A greater anchor is a moment. */
const LAST_DAY = 31;

/** The start of a calendar's windows, and its zone. */
function beginningOf({ window = "", timeZone, anchor }: Policy): string {
  if (!(CALENDAR_UNITS as readonly string[]).includes(window)) return "";
  const zone = `, ${timeZone ?? "UTC"}`;
  if (anchor === undefined) return zone;
  if (typeof anchor === "string") return `, as from ${anchor}${zone}`;
  if (anchor > LAST_DAY) return `, as from ${new Date(anchor).toISOString()}${zone}`;
  const day = window === "week" ? WEEKDAYS[anchor - 1] : `day ${anchor}`;
  return `, from ${day}${zone}`;
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

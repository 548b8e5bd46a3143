import { reportOnce } from "../runtime/log.ts";
import type { StoreOptions } from "../store/open-store.ts";
import type { LimiterSettings } from "./settings.ts";

/** Names noted at most, for each place: a process that makes limiters without end must not fill its memory. */
const MAX_NAMES = 1_000;

/** What is counted where: by the store or client itself, and by address for all that are made of one. */
const byObject = new WeakMap<object, Set<string>>();
const byAddress = new Set<string>();

/**
 * Reports a policy whose name was made from its numbers, if another limiter of this process counts an equal one in the
 * same place: both share one count, which nobody asked for. A name that was given is taken for meant.
 */
export function reportUnnamedTwins(
  { store, redis }: Pick<StoreOptions, "store" | "redis">,
  { prefix, policies }: LimiterSettings,
): void {
  const place = store ?? redis;
  const address = place === undefined ? "" : (place as { url?: unknown }).url;
  const noted = typeof address === "string" ? byAddress : notedIn(place!);
  for (const { name, algorithm } of policies) {
    if (!name.startsWith(`${algorithm}-`)) continue;
    const key = JSON.stringify([address, prefix, name]);
    if (noted.has(key)) {
      reportOnce(
        `Two limiters have a policy ${name} without a name, so they count together. Give each policy a \`name\` (the same one if that is meant), or make the limiter once. The prefix is ${prefix}.`,
      );
    } else if (noted.size < MAX_NAMES) {
      noted.add(key);
    }
  }
}

function notedIn(place: object): Set<string> {
  const noted = byObject.get(place) ?? new Set();
  byObject.set(place, noted);
  return noted;
}

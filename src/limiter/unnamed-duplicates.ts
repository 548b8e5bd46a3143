import { reportOnce } from "../runtime/log.ts";
import type { StoreOptions } from "../store/open-store.ts";
import type { LimiterSettings } from "./settings.ts";

/** The most names noted per store: a process that creates limiters endlessly must not fill its memory. */
const MAX_NAMES = 1_000;

/** The names in use: by store or client object, and by address for limiters that were given an address. */
const byObject = new WeakMap<object, Set<string>>();
const byAddress = new Set<string>();

/**
 * Warns about an unnamed policy if another limiter of this process has an equal one in the same store: both share one
 * count, which is probably a mistake. A name given explicitly is taken as intended.
 */
export function reportUnnamedDuplicates(
  place: StoreOptions["store"] | StoreOptions["redis"],
  { prefix, policies }: LimiterSettings,
): void {
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

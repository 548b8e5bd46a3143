import type { SharedCache } from "../../features/shared-denials.ts";
import { isRecord } from "../../options/record.ts";
import { withTimeout } from "../../runtime/time.ts";
import type { ReadState } from "../../store/control/control-store.ts";
import type { LiveState } from "../../store/control/live-state.ts";
import { exceedsBytes } from "../../store/control/storage.ts";

/** The time limit of a cache read: a slower cache is not near. */
const CACHE_TIMEOUT_MS = 100;

/**
 * The most bytes of a shared state: the two largest documents and as many entries as the admin API keeps, which JSON inside
 * JSON makes up to twice as long. Isolates ask Redis themselves for a larger state.
 */
export const MAX_SHARED_BYTES = 8_000_000;

/**
 * How long a data centre keeps the newest state that one of its isolates had: new isolates hold it from their start, and put back what
 * the control store has lost of it.
 */
const KEPT_SECONDS = 86_400;

/**
 * Reads the live rules once for all isolates that reach a cache, such as those of a data centre: an isolate that finds
 * none there asks Redis, and stores the answer for the others until the next refresh.
 */
export function throughCache(
  read: ReadState,
  cache: SharedCache,
  key: string,
  refreshMs: number,
): ReadState {
  const keptKey = `${key} kept`;
  /** The newest revision that this isolate has read from `keptKey` or written to it. `known` may be newer, after a publication. */
  let keptRevision = 0;

  return async function readThroughCache(known) {
    const [found, kept] = await Promise.all([
      lookUp(cache, key),
      // Only an isolate that has just begun needs the kept state.
      known.revision === 0 ? lookUp(cache, keptKey) : undefined,
    ]);
    if (kept) keptRevision = Math.max(keptRevision, kept.revision);
    // An entry older than the known one was stored before an isolate wrote.
    if (found && found.revision >= known.revision) {
      return found.revision === known.revision ? known : found;
    }
    const state = await read(kept ?? known);
    // An isolate that knows less could not use it: the document is left out.
    if (state.revision < known.revision) return state;
    const seconds = Math.max(1, Math.floor(refreshMs / 1000));
    const text = JSON.stringify(state);
    if (exceedsBytes(text, MAX_SHARED_BYTES)) return state;
    put(key, text, seconds);
    if (state.revision > keptRevision && state.misread === undefined) {
      keptRevision = state.revision;
      put(keptKey, text, KEPT_SECONDS);
    }
    return state;
  };

  function put(name: string, text: string, seconds: number): void {
    (async () => cache.put(name, text, seconds))().catch(() => {});
  }
}

async function lookUp(cache: SharedCache, key: string): Promise<LiveState | undefined> {
  try {
    const text = await withTimeout(CACHE_TIMEOUT_MS, () => cache.get(key));
    if (typeof text !== "string" || exceedsBytes(text, MAX_SHARED_BYTES)) return undefined;
    const found: unknown = JSON.parse(text);
    return isState(found) ? found : undefined;
  } catch {
    // A failing cache counts as an empty one.
    return undefined;
  }
}

/** Whether a text in the cache is a state of this form: another version of Tidegate in the zone may have put it there. */
function isState(found: unknown): found is LiveState {
  if (!isRecord(found)) return false;
  const { revision, lineage, lostAtMs, version, publishedAtMs, document, trial, entries } = found;
  return (
    [revision, lostAtMs, version, publishedAtMs].every((each) => Number.isSafeInteger(each)) &&
    typeof lineage === "string" &&
    (document === undefined || typeof document === "string") &&
    (trial === undefined || isTrial(trial)) &&
    isRecord(entries) &&
    Object.values(entries).every((each) => typeof each === "string")
  );
}

function isTrial(found: unknown): boolean {
  if (!isRecord(found)) return false;
  const { version, publishedAtMs, percent, document } = found;
  const numbers = [version, publishedAtMs, percent];
  return numbers.every((each) => Number.isSafeInteger(each)) && typeof document === "string";
}

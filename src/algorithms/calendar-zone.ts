/** A stretch of time through which a zone has one offset. */
export interface Stretch {
  readonly fromMs: number;
  /** Milliseconds that the zone's clocks are ahead of UTC. */
  readonly offsetMs: number;
}

/** A time zone, as this isolate's own data knows it. */
export interface Zone {
  readonly name: string;
  /** The clocks' time at this moment, as the milliseconds since 1970 that UTC would have then. */
  localAt(ms: number): number;
  /** The stretches from at least `DAYS_BEFORE` before this moment to at least `LEAST_DAYS_AFTER` after it, oldest first. */
  around(ms: number): Cover;
}

/** The offsets of a zone that are known without a look at the isolate's data. */
export interface Cover {
  readonly stretches: readonly Stretch[];
  readonly untilMs: number;
}

const DAY_MS = 86_400_000;

/** A month of 31 days before that of the moment, and some days that calendars may have skipped. */
const DAYS_BEFORE = 70;

/** How far a look reaches: more than a year, so that an isolate that lives for long looks about twice a year. */
const DAYS_AFTER = 470;

/** From less than this on, a renewal looks again. */
const LEAST_DAYS_AFTER = 200;

/** No zone has changed its offset and changed it back within so short a time since 1970. */
const STEP_MS = 7 * DAY_MS;

/** Zones are data of the isolate: a few hundred names at most. Opening one costs more than all that is asked of it. */
const opened = new Map<string, Zone>();

/** Opens a zone by its name, such as `Europe/Berlin`; `undefined` if the isolate knows none of that name. */
export function openZone(name: unknown): Zone | undefined {
  if (typeof name !== "string") return undefined;
  const known = opened.get(name);
  if (known) return known;
  const offsetAt = offsetsOf(name);
  if (!offsetAt) return undefined;
  let cover: (Cover & { readonly fromMs: number }) | undefined;

  function around(momentMs: number): Cover {
    // Redis's clock has microseconds, and between a change of offset and a part of a millisecond lies no middle.
    const ms = Math.floor(momentMs);
    const fromMs = ms - DAYS_BEFORE * DAY_MS;
    if (!cover || cover.fromMs > fromMs || cover.untilMs < ms + LEAST_DAYS_AFTER * DAY_MS) {
      const untilMs = ms + DAYS_AFTER * DAY_MS;
      cover = { fromMs, untilMs, stretches: stretchesOf(offsetAt!, fromMs, untilMs) };
    }
    return cover;
  }

  const zone: Zone = { name, around, localAt: (ms) => ms + offsetAt(ms) };
  opened.set(name, zone);
  return zone;
}

/** Finds a zone's offset at a moment, in milliseconds; `undefined` for a zone that does not exist. */
function offsetsOf(timeZone: string): ((ms: number) => number) | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
  return (ms) => {
    // "3/29/2026, GMT+02:00", or "GMT" alone for UTC.
    const [, sign, h = 0, m = 0, s = 0] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(format.format(ms)) ?? [];
    const size = (Number(h) * 3600 + Number(m) * 60 + Number(s)) * 1000;
    return sign === "-" ? -size : size;
  };
}

function stretchesOf(
  offsetAt: (ms: number) => number,
  fromMs: number,
  untilMs: number,
): readonly Stretch[] {
  let offsetMs = offsetAt(fromMs);
  const stretches: Stretch[] = [{ fromMs, offsetMs }];
  for (let start = fromMs; start < untilMs; start += STEP_MS) {
    let before = start;
    const end = Math.min(start + STEP_MS, untilMs);
    // A week may have two changes.
    while (offsetAt(end) !== offsetMs) {
      let after = end;
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2);
        if (offsetAt(middle) === offsetMs) before = middle;
        else after = middle;
      }
      offsetMs = offsetAt(after);
      stretches.push({ fromMs: after, offsetMs });
      before = after;
    }
  }
  return stretches;
}

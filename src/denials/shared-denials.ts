import type { Row } from "../algorithms/model.ts";
import { Faults } from "../options/faults.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { createBreaker } from "../runtime/breaker.ts";
import { TIMED_OUT, withTimeout } from "../runtime/timeout.ts";
import { type DenialCache, DRIFT, type KnownDenial } from "./denial-cache.ts";
import { earliest, type RedisClocks } from "./redis-clocks.ts";
import { PATIENCE_MS } from "./single-flight.ts";

/**
 * A place near isolates that are near each other, where one finds what another has put. It may forget, be late, or
 * fail: then Redis is asked. What it holds is believed, so that nobody else may write there.
 */
export interface SharedCache {
  /** What was put last under this key; `undefined` if there is nothing. */
  get(key: string): Promise<string | undefined>;
  /** Keeps a text for so many whole seconds, 1 to 60. Nobody waits for it. */
  put(key: string, text: string, seconds: number): void | Promise<void>;
}

/** What an isolate has to do with the denials of others. */
export interface Sharing {
  /**
   * Reads a denial of this cost, learns it, and returns it as it stands now. If there is none, the caller asks Redis and
   * publishes the answer.
   */
  read(partition: string, cost: number): Promise<KnownDenial | undefined>;
  /** Publishes Redis's answer to a request of this cost, and what Redis's clock showed, in microseconds. */
  publish(partition: string, cost: number, shown: number, rows: readonly Row[]): void;
  /** Withdraws what was published. */
  forget(partition: string): void;
}

/** What of a limiter's settings sharing needs. */
export interface SharingSettings {
  readonly prefix: string;
  readonly policies: readonly CompiledPolicy[];
  /** The isolate's monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** Denials that isolates share: an option of a limiter, made by `shareDenials()`. */
export interface SharedDenials {
  /** Joins in with what an isolate's limiter knows. */
  share(settings: SharingSettings, clocks: RedisClocks, denials: DenialCache): Sharing;
}

/**
 * What lies in the place. A denial: its cost, what Redis's clock showed when it said so, and of each row what remains,
 * its retry after and its reset after. Or a claim, that somebody is asking: what Redis's clock showed at most, so that
 * it delays nobody for long if its isolate is no more. Anything else is nothing.
 */
type Note = readonly number[];

/** How long a look may take, in milliseconds: a place that is no nearer than Redis is of no use. */
const LOOK = 25;

/** The first pause before another look while somebody else asks, in milliseconds. Each one is twice as long. */
const PAUSE = 4;

/** What is kept for longer than a denial is trusted is of no use. Seconds. */
const MAX_SECONDS = 60;

/**
 * Denials shared by all isolates that reach a place, all of them of one Redis.
 *
 * They are told in Redis's own time, and an isolate believes one only if Redis's clock cannot have passed its end, by an
 * answer of Redis to this isolate about this partition. Only who was denied pays: the place is looked at when a known
 * denial has run out.
 *
 * @throws ConfigurationError if the place lacks one of its two functions
 * @example
 * const notes = new Map<string, string>();
 * createLimiter({
 *   policies: [tokenBucket({ limit: 20, refill: 10, per: "1s" })],
 *   sharedDenials: shareDenials({
 *     get: async (key) => notes.get(key),
 *     put: (key, text) => void notes.set(key, text),
 *   }),
 * });
 */
export function shareDenials(place: SharedCache): SharedDenials {
  const faults = new Faults();
  for (const name of ["get", "put"] as const) {
    const given: unknown = (place as Partial<SharedCache> | undefined)?.[name];
    if (typeof given !== "function") {
      faults.add(name, given, "Give a function: a place has get(key) and put(key, text, seconds).");
    }
  }
  faults.throwIfAny();
  return { share: (settings, clocks, denials) => join(place, settings, clocks, denials) };
}

function join(
  place: SharedCache,
  { prefix, policies, now }: Parameters<SharedDenials["share"]>[0],
  clocks: RedisClocks,
  denials: DenialCache,
): Sharing {
  const begin = `${prefix}:${JSON.stringify(policies.map(meaning))}:`;
  const breaker = createBreaker();

  async function readNote(partition: string): Promise<Note> {
    if (!breaker.admits(now())) return [];
    const get = async () => String(await place.get(begin + partition));
    const found = await withTimeout(LOOK, get).catch((): typeof TIMED_OUT => TIMED_OUT);
    if (found === TIMED_OUT) {
      breaker.failed(now());
      return [];
    }
    breaker.succeeded();
    const numbers = found.split(",").map(Number);
    return numbers.every((number) => Number.isSafeInteger(number) && number >= 0) ? numbers : [];
  }

  function write(partition: string, note: Note, seconds: number): void {
    const kept = Math.min(Math.ceil(seconds), MAX_SECONDS);
    (async () => place.put(begin + partition, note.join(), kept))().catch(() => {});
  }

  const forget = (partition: string) => write(partition, [], 1);

  return {
    async read(partition, cost) {
      const start = now();
      const bound = clocks.boundOf(partition, start);
      if (!bound) return undefined;
      /** What Redis's clock shows at most, in microseconds. */
      const latest = () => Math.ceil((bound.base + now() * (1 + DRIFT)) * 1000);
      for (let pause = PAUSE; ; pause *= 2) {
        const note = await readNote(partition);
        const [first, shown, ...rest] = note as [number, number];
        if (note.length === 2 + 3 * policies.length && first > 0 && shown < latest()) {
          const reply = { nowUs: shown, rows: toRows(rest) };
          denials.learn(partition, first, earliest(bound, shown), reply);
          const known = denials.find(partition, cost, now());
          if (known.state === "denied") return known;
        }
        const claimed = note.length === 1 && Math.abs(latest() - first) < PATIENCE_MS * 1000;
        if (!claimed || now() - start + pause > PATIENCE_MS) break;
        await new Promise((resolve) => {
          setTimeout(resolve, pause);
        });
      }
      write(partition, [latest()], 1);
      return undefined;
    },

    publish(partition, cost, shown, rows) {
      const wait = Math.max(...rows.map(({ retryAfterUs }) => retryAfterUs));
      if (wait === 0) forget(partition);
      else write(partition, [cost, shown, ...rows.flatMap(toNumbers)], wait / 1e6);
    },

    forget,
  };
}

/** What a deployment may change: then what was shared before is about something else. */
function meaning({ name, scriptArguments }: CompiledPolicy): unknown {
  return [name, scriptArguments];
}

function toNumbers({ remaining, retryAfterUs, resetAfterUs }: Row): number[] {
  return [remaining, retryAfterUs, resetAfterUs];
}

function toRows(numbers: readonly number[]): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < numbers.length; at += 3) {
    const [remaining, retryAfterUs, resetAfterUs] = numbers.slice(at) as [number, number, number];
    rows.push({ allowed: retryAfterUs === 0, remaining, retryAfterUs, resetAfterUs });
  }
  return rows;
}

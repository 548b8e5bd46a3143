import type { Row } from "../algorithms/model.ts";
import { type DenialCache, DRIFT, type KnownDenial } from "../decide/denial-cache.ts";
import { MAX_WAIT_MS } from "../decide/known-denials.ts";
import { earliestMs, type RedisClocks } from "../decide/redis-clocks.ts";
import type { MadeBy } from "../options/option-value.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { TIMED_OUT, withTimeout } from "../runtime/time.ts";
import { createBreaker } from "../store/breaker.ts";
import type { Reply } from "../store/store.ts";

/**
 * A key-value cache shared by nearby isolates. It may forget, be late, or fail: then the isolate asks Redis. Isolates
 * trust its entries, so no other program may write to it.
 */
export interface SharedCache {
  /** The last text that was put under this key; `undefined` if there is none. The read is given up after 25 ms. */
  get(key: string): Promise<string | undefined>;
  /** Stores a text for 1 to 60 whole seconds. No request waits for it. */
  put(key: string, text: string, seconds: number): void | Promise<void>;
}

/** One isolate's access to shared denials. */
export interface Sharing {
  /**
   * Reads a denial of these costs, remembers it, and returns it projected to now. If there is none, the caller asks
   * Redis and publishes the answer.
   */
  read(partition: string, costs: readonly number[]): Promise<KnownDenial | undefined>;
  /** Publishes Redis's answer to a request of these costs. */
  publish(partition: string, costs: readonly number[], reply: Pick<Reply, "nowUs" | "rows">): void;
  /** Withdraws a published denial. */
  forget(partition: string): void;
}

/** Policies that share a partition key, and whose denials are shared. */
interface SharingSettings {
  readonly prefix: string;
  readonly policies: readonly CompiledPolicy[];
  /** The isolate's clock, in milliseconds. */
  readonly now: () => number;
}

/** Denials that isolates share: an option of a limiter, made by `shareDenials()`. */
export interface SharedDenials extends MadeBy<"coloDenials() or shareDenials()"> {
  /** Connects the known denials of a limiter in this isolate with those that others have published. */
  share(settings: SharingSettings, clocks: RedisClocks, denials: DenialCache): Sharing;
}

/**
 * An entry of the cache. A denial has the time of Redis's clock (us), and cost, `remaining`, `retryAfterUs` and
 * `resetAfterUs` of each row. A claim says that an isolate is asking Redis. It has the latest possible time of Redis's
 * clock (us), so that other isolates do not wait long if that isolate is gone. Any other value is ignored.
 */
type Note = readonly number[];

/** The numbers of a row in a note. */
const WIDTH = 4;

/** The time limit of a read: a cache slower than Redis is useless. */
const READ_TIMEOUT_MS = 25;

/** The first pause before the next read while another isolate asks Redis. Each pause is twice as long as the last. */
const FIRST_PAUSE_MS = 4;

/** The longest time that a note is stored: no denial is trusted for longer. */
const MAX_SECONDS = 60;

/** Connects a limiter with the denials in a cache. */
export function connect(
  cache: SharedCache,
  { prefix, policies, now }: SharingSettings,
  clocks: RedisClocks,
  denials: DenialCache,
): Sharing {
  const keyPrefix = `${prefix}:${JSON.stringify(policies.map(identityOf))}:`;
  const breaker = createBreaker();

  async function readNote(partition: string): Promise<Note> {
    if (!breaker.admits(now())) return [];
    const get = async () => String(await cache.get(keyPrefix + partition));
    const found = await withTimeout(READ_TIMEOUT_MS, get).catch((): typeof TIMED_OUT => TIMED_OUT);
    if (found === TIMED_OUT) {
      breaker.failed(now());
      return [];
    }
    breaker.succeeded();
    const numbers = found.split(",").map(Number);
    return numbers.every((number) => Number.isSafeInteger(number) && number >= 0) ? numbers : [];
  }

  function writeNote(partition: string, note: Note, seconds: number): void {
    const kept = Math.min(Math.ceil(seconds), MAX_SECONDS);
    (async () => cache.put(keyPrefix + partition, note.join(), kept))().catch(() => {});
  }

  const forget = (partition: string) => writeNote(partition, [], 1);

  return {
    async read(partition, costs) {
      const startMs = now();
      const bound = clocks.boundOf(partition, startMs);
      if (!bound) return undefined;
      /** The latest possible time of Redis's clock now. */
      const latestUs = () => Math.ceil((bound.baseMs + now() * (1 + DRIFT)) * 1000);
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
        const note = await readNote(partition);
        const [redisNowUs, ...rest] = note as [number];
        if (note.length === 1 + WIDTH * policies.length && redisNowUs < latestUs()) {
          const { costs: deniedCosts, rows } = readRows(rest);
          const reply = { nowUs: redisNowUs, rows };
          denials.learn(partition, deniedCosts, earliestMs(bound, redisNowUs), reply);
          const known = denials.find(partition, costs, now());
          if (known.state === "denied") return known;
          if (known.state === "expired") denials.drop(partition);
        }
        const claimed = note.length === 1 && Math.abs(latestUs() - redisNowUs) < MAX_WAIT_MS * 1000;
        if (!claimed || now() - startMs + pauseMs > MAX_WAIT_MS) break;
        await new Promise((resolve) => {
          setTimeout(resolve, pauseMs);
        });
      }
      writeNote(partition, [latestUs()], 1);
      return undefined;
    },

    publish(partition, costs, { nowUs: redisNowUs, rows }) {
      const note = [redisNowUs];
      let waitUs = 0;
      for (let row = 0; row < policies.length; row++) {
        const { remaining, retryAfterUs, resetAfterUs } = rows[row]!;
        note.push(costs[row]!, remaining, retryAfterUs, resetAfterUs);
        waitUs = Math.max(waitUs, retryAfterUs);
      }
      if (waitUs === 0) forget(partition);
      else writeNote(partition, note, waitUs / 1e6);
    },

    forget,
  };
}

/**
 * The parts of a policy that a deployment may change. They are in the key, so that a changed policy finds no older
 * notes.
 */
function identityOf({ key, scriptArguments }: CompiledPolicy): unknown {
  return [key, scriptArguments];
}

function readRows(numbers: readonly number[]): { costs: number[]; rows: Row[] } {
  const costs: number[] = [];
  const rows: Row[] = [];
  for (let at = 0; at < numbers.length; at += WIDTH) {
    const [cost, remaining, retryAfterUs, resetAfterUs] = numbers.slice(at) as number[];
    costs.push(cost!);
    rows.push({
      allowed: retryAfterUs === 0,
      remaining: remaining!,
      retryAfterUs: retryAfterUs!,
      resetAfterUs: resetAfterUs!,
    });
  }
  return { costs, rows };
}

import { type Connection, ReplyError } from "./connection.ts";
import { PROBE_TIMEOUT_MS } from "./patience.ts";

/** A replica nearby, which the limiter asks about denials. */
export interface ReplicaFacts {
  readonly address: URL;
  /** Why it gives no answer at all. */
  readonly reason?: string;
  /** Its words, where it refuses to run a script. */
  readonly refusal?: string;
  /** When it showed what was written to Redis; `undefined` if it did not, or if Redis took no write. */
  readonly lag?: { readonly ms: number } | { readonly beyondMs: number };
}

export interface ReplicaOptions {
  readonly address: URL;
  /** The start of the limiter's keys. */
  readonly prefix: string;
  /** A steady clock, in milliseconds. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<unknown>;
}

/** Reads one key, as the limiter reads a replica. */
const READ = "return redis.call('GET',KEYS[1])";

const STEP_MS = 50;

/** Writes a key to Redis, which expires within two minutes, and looks when the replica shows it. */
export async function gatherReplica(
  { redis, replica }: { readonly redis: Connection; readonly replica: Connection },
  { address, prefix, now, wait }: ReplicaOptions,
): Promise<ReplicaFacts> {
  const key = `${prefix}:{#doctor}:replica`;
  let command = "EVAL_RO";
  const read = async (): Promise<unknown> => {
    try {
      return await replica.send([command, READ, "1", key]);
    } catch (error) {
      // Before Redis 7.0.
      if (command === "EVAL" || !/unknown (?:redis )?command/i.test((error as Error).message)) {
        throw error;
      }
      command = "EVAL";
      return replica.send([command, READ, "1", key]);
    }
  };
  try {
    await read();
    const value = crypto.randomUUID();
    const isWritten = await redis.send(["SET", key, value, "PX", "120000"]).catch(() => undefined);
    if (isWritten === undefined) return { address };
    const startMs = now();
    for (;;) {
      const isShown = (await read()) === value;
      const ms = now() - startMs;
      if (isShown) return { address, lag: { ms } };
      if (ms >= PROBE_TIMEOUT_MS) return { address, lag: { beyondMs: ms } };
      await wait(STEP_MS);
    }
  } catch (error) {
    const { message } = error as Error;
    return {
      address,
      ...(error instanceof ReplyError ? { refusal: message } : { reason: message }),
    };
  }
}

import type { ErrorCode } from "../../src/options/errors.ts";
import type { Random } from "./random.ts";

/** How an isolate's messages fare; shares are of all messages. */
export interface Weather {
  /** Of one way, in microseconds: least and most. */
  readonly delay: readonly [number, number];
  /** Lost on the way there. */
  readonly lost: number;
  /** Carried out, and the reply lost. */
  readonly replyLost: number;
  /** Answered with an error, or with something that is no reply, by a proxy on the way. */
  readonly refused: number;
  /** Carried out, and the reply replaced by an error or by something that is no reply. */
  readonly garbled: number;
}

/** The failure that comes back instead of a reply. */
export type Failure =
  | { readonly error: Error; readonly code: ErrorCode }
  | { readonly value: unknown; readonly code: ErrorCode };

export interface Fate {
  readonly there: number;
  readonly back: number;
  readonly executed: boolean;
  /** `undefined`: the reply; "silence": nothing ever. */
  readonly instead: Failure | "silence" | undefined;
}

/** The fate of one message. */
export function drawFate(random: Random, weather: Weather): Fate {
  const delay = () => random.magnitude(...weather.delay);
  const [there, back] = [delay(), delay()];
  const fate = (executed: boolean, instead?: Fate["instead"]) => ({
    there,
    back,
    executed,
    instead,
  });
  const silenceOrError = () => (random.chance(0.5) ? "silence" : connectionBroke());
  if (random.chance(weather.lost)) return fate(false, silenceOrError());
  if (random.chance(weather.replyLost)) return fate(true, silenceOrError());
  if (random.chance(weather.refused)) {
    return fate(false, random.chance(0.7) ? refusal(random) : garbage(random));
  }
  if (random.chance(weather.garbled)) return fate(true, garbage(random));
  return fate(true);
}

export function connectionBroke(): Failure {
  return { error: new TypeError("fetch failed"), code: "ERR_STORE_UNREACHABLE" };
}

export function timedOut(): Error {
  return Object.assign(new Error("The operation was aborted due to timeout"), {
    name: "TimeoutError",
  });
}

function refusal(random: Random): Failure {
  const [message, code] = random.pick([
    ["WRONGPASS invalid or missing auth token", "ERR_STORE_UNAUTHORIZED"],
    ["ERR max daily request limit exceeded", "ERR_STORE_REFUSED"],
    ["LOADING Redis is loading the dataset in memory", "ERR_STORE_REFUSED"],
    ["OOM command not allowed when used memory > 'maxmemory'.", "ERR_STORE_REFUSED"],
  ] as const);
  return { error: redisError(message, random), code };
}

function garbage(random: Random): Failure {
  if (random.chance(0.3)) {
    const error = new SyntaxError("Unexpected token '<', \"<html>502\"... is not valid JSON");
    return { error, code: "ERR_STORE_REPLY" };
  }
  const value = random.pick([
    null,
    undefined,
    "OK",
    1,
    {},
    [],
    [1, 2.5],
    ["1", 2, 3, 4, 5],
    [1, 2, 3, 4.5, 5],
  ]);
  return { value, code: "ERR_STORE_REPLY" };
}

/** An error of Redis, as clients throw it: some quote the command. */
export function redisError(message: string, random: Random): Error {
  return new Error(
    random.chance(0.5) ? `${message}, command was: ["evalsha","NOSCRIPT"]` : message,
  );
}

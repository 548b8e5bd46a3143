import { type FaultKind, Faults } from "../../options/faults.ts";
import { CONNECTED_ON_WORKERS } from "../../options/messages.ts";
import { onWorkers } from "../../runtime/environment.ts";
import { monotonicNow } from "../../runtime/time.ts";
import { staleConnection } from "./stale-connection.ts";

/** Sends a command over a connection of Node. */
export type SendOver = (
  send: () => Promise<unknown>,
  /** Makes the connection anew. */
  renew: () => unknown,
) => Promise<unknown>;

/**
 * Makes a function that sends the commands of one client: their replies are exact, and a reply that only a new connection cures has
 * the connection made anew, at most once a second.
 */
export function sendingOver(): SendOver {
  const isStale = staleConnection(monotonicNow);
  return async (send, renew) => {
    try {
      return exactOf(await send());
    } catch (error) {
      if (isStale(error)) renew();
      throw error;
    }
  };
}

/** Checks what no client with a connection of its own may lack; returns whether it has these functions. */
export function checkConnected(
  client: object,
  names: readonly string[],
  kind: FaultKind,
  faults: Faults,
): boolean {
  // A connection of Workers belongs to the request that opened it: later requests would wait for it in vain.
  if (onWorkers()) faults.add("client", "(an object)", CONNECTED_ON_WORKERS);
  const functions = Object(client) as Record<string, unknown>;
  const isComplete = names.every((name) => typeof functions[name] === "function");
  if (!isComplete) faults.add("client", String(client), kind);
  return isComplete;
}

/** A number as a client with `stringNumbers`, or with numbers mapped to texts, replies it. */
const NUMBER = /^\d{1,16}$/;

/**
 * The numbers of a reply. Both libraries parse 2^53 - 1 as 2^53, which is not a safe integer, so it is clamped. Both
 * parse some of the 50 numbers before that as one less.
 */
function exactOf(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(exactOf);
  if (typeof reply === "number") return Math.min(reply, Number.MAX_SAFE_INTEGER);
  return typeof reply === "string" && NUMBER.test(reply) ? Number(reply) : reply;
}

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { Origin } from "./origin.ts";

/** The part of a rule that says which request it limits, and which identity is counted. */
interface Rule {
  readonly method?: string | readonly string[];
  readonly path: string;
  readonly partition?: "*" | readonly (string | readonly string[])[];
}

const PATIENCE = 10_000;

/**
 * Sends a request that the first rule limits through a worker, until one has gone all the way: decided by the store, answered by
 * the origin. Each is of an identity of its own, so that no other count changes.
 */
export async function probe(
  worker: string,
  origin: Origin,
  rules: unknown,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [rule] = (typeof rules === "string" ? JSON.parse(rules) : rules) as Rule[];
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    signal?.throwIfAborted();
    origin.resetCounts();
    const fault = await send(worker, rule!, signal).then(
      (response) => findFault(response, origin),
      (error: Error) => error.message,
    );
    origin.resetCounts();
    if (fault === undefined) return;
    if (Date.now() > deadline) throw new Error(`no request went through ${worker}: ${fault}`);
    await sleep(50);
  }
}

async function send(worker: string, rule: Rule, signal?: AbortSignal): Promise<Response> {
  const { method = "GET", partition = ["ip"] } = rule;
  const [first = "GET"] = typeof method === "string" ? [method] : method;
  const path = rule.path.replace(/:[^/]+|\*/g, "probe");
  const identity = randomUUID();
  const headers = new Headers({ "cf-connecting-ip": addressOf(identity) });
  for (const source of [partition].flat(2)) {
    if (source.startsWith("header:")) headers.set(source.slice("header:".length), identity);
  }
  const timeout = AbortSignal.timeout(PATIENCE);
  const response = await fetch(`${worker}${path}`, {
    method: first === "*" ? "GET" : first,
    headers,
    redirect: "manual",
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  await response.arrayBuffer();
  return response;
}

/** An unused network, out of those set aside for examples. */
function addressOf(identity: string): string {
  return `2001:db8:${identity.slice(0, 4)}:${identity.slice(4, 8)}::1`;
}

function findFault({ status, headers }: Response, origin: Origin): string | undefined {
  if (Object.keys(origin.counts()).length === 0) return `it answered ${status} without the origin`;
  if (!headers.has("ratelimit")) return "it does not say what is left";
  const reason = headers.get("x-ratelimit-reason");
  return reason === null ? undefined : `it decided on its own, ${reason}`;
}

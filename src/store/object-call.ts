import { StoreError } from "../options/errors.ts";
import { TIMED_OUT, withTimeout } from "../runtime/time.ts";
import type { LocationHint } from "./region/location-hints.ts";

/** A binding of a class of this package: the parts of Cloudflare's `DurableObjectNamespace` that are used. */
export interface ObjectNamespace {
  idFromName(name: string): object;
  get(id: object, options?: { readonly locationHint?: LocationHint }): object;
}

/** A document of 900,000 bytes reaches an object far away in less. */
const TIMEOUT_MS = 10_000;

/** An object of a gateway by its name, which is no partition. */
export interface CalledObject {
  readonly namespace: ObjectNamespace;
  readonly name: string;
  /** The data in it, for an error. */
  readonly has: string;
}

/** Calls an object that is asked rarely, and may be far away. Every failure is a StoreError. */
export async function callObject<Stub extends object, Answer>(
  { namespace, name, has }: CalledObject,
  ask: (stub: Stub) => Promise<Answer>,
): Promise<Answer> {
  let answer: Answer | typeof TIMED_OUT;
  try {
    // Each call has its own stub: on Workers, requests cannot share I/O objects.
    const stub = namespace.get(namespace.idFromName(name)) as Stub;
    answer = await withTimeout(TIMEOUT_MS, () => ask(stub));
  } catch (error) {
    const { message } = error as Error;
    throw new StoreError(
      "ERR_STORE_UNREACHABLE",
      `The Durable Object of the ${has} failed: ${message.slice(0, 200)}`,
    );
  }
  if (answer !== TIMED_OUT) return answer;
  throw new StoreError(
    "ERR_STORE_TIMEOUT",
    `The Durable Object of the ${has} did not answer in time.`,
  );
}

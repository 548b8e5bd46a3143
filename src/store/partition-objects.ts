import { StoreError } from "../options/errors.ts";
import type { Faults } from "../options/faults.ts";
import { NAMESPACE } from "../options/messages.ts";
import { tagOf } from "./cluster/hash-slot.ts";
import type { ObjectNamespace } from "./object-call.ts";

/** A class whose methods other isolates call. */
type Remote<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Awaited<Answer>>
    : never;
};

/** Long enough for a runtime's message, short enough to keep documents out of the log. */
const MAX_REASON = 200;

/** Calls the object of the partition of these keys. Every failure is a StoreError. */
export type CallObject<Calls> = <Answer>(
  keys: readonly string[],
  ask: (stub: Remote<Calls>) => Promise<Answer>,
) => Promise<Answer>;

/** @param stubOf the object of a partition: each call has its own stub, because requests of Workers cannot share I/O objects */
export function callsOf<Calls>(stubOf: (tag: string) => object): CallObject<Calls> {
  return async function call([key], ask) {
    try {
      return await ask(stubOf(tagOf(key!)) as Remote<Calls>);
    } catch (error) {
      // Not repeated, even if the runtime marks the error as retryable: the object may have counted.
      throw new StoreError(
        "ERR_STORE_UNREACHABLE",
        `The Durable Object failed: ${reasonOf(error)}`,
      );
    }
  };
}

/** Adds a fault for what is no binding. */
export function checkNamespace(
  namespace: unknown,
  meant: { readonly class: string; readonly binding: string },
  faults: Faults,
): void {
  const { idFromName, get } = Object(namespace) as Partial<ObjectNamespace>;
  if (typeof idFromName !== "function" || typeof get !== "function") {
    faults.add("namespace", typeof namespace, NAMESPACE, meant);
  }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON);
}

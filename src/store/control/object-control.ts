import { StoreError } from "../../options/errors.ts";
import { TIMED_OUT, withTimeout } from "../../runtime/time.ts";
import type { ObjectNamespace } from "../durable-object-store.ts";
import type { CallControl } from "./control-over.ts";
import type { KeptControl } from "./kept-control.ts";

/** A document of 900,000 bytes reaches an object far away in less. */
const TIMEOUT_MS = 10_000;

interface Stub {
  control(name: string, args: readonly unknown[]): Promise<unknown>;
}

/** Calls the Durable Object that has the control data of the gateways with this prefix. */
export function callObject(namespace: ObjectNamespace, prefix: string): CallControl {
  // No partition has this name: one that begins with `#` has 43 more characters.
  const name = `${prefix}:{#live}`;
  return async (operation, ...args) => {
    let answer: unknown;
    try {
      // Each call has its own stub: on Workers, requests cannot share I/O objects.
      const stub = namespace.get(namespace.idFromName(name)) as Stub;
      answer = await withTimeout(TIMEOUT_MS, () => stub.control(operation, args));
    } catch (error) {
      const { message } = error as Error;
      throw new StoreError(
        "ERR_STORE_UNREACHABLE",
        `The Durable Object of the control data failed: ${message.slice(0, 200)}`,
      );
    }
    if (answer !== TIMED_OUT) return answer as ReturnType<KeptControl[typeof operation]>;
    throw new StoreError(
      "ERR_STORE_TIMEOUT",
      "The Durable Object of the control data did not answer in time.",
    );
  };
}

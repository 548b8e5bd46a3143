import { callObject } from "../object-call.ts";
import type { ObjectNamespace } from "../object-namespace.ts";
import type { CallControl } from "./control-over.ts";
import type { KeptControl } from "./kept-control.ts";

interface Stub {
  control(name: string, args: readonly unknown[]): Promise<unknown>;
}

/** Calls the Durable Object that has the control data of the gateways with this prefix. */
export function objectControl(namespace: ObjectNamespace, prefix: string): CallControl {
  // No partition has this name: one that begins with `#` has 43 more characters.
  const object = { namespace, name: `${prefix}:{#live}`, has: "control data" };
  return async (operation, ...args) => {
    const answer = await callObject(object, (stub: Stub) => stub.control(operation, args));
    return answer as ReturnType<KeptControl[typeof operation]>;
  };
}

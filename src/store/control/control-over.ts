import { callObject, type ObjectNamespace } from "../object-call.ts";
import type { KeptVersion, LiveStore, Persistence } from "./control-store.ts";
import type { KeptControl } from "./kept-control.ts";
import type { Storage } from "./storage.ts";

/** Calls the control data of one gateway, wherever that is kept. */
export type CallControl = <Name extends keyof KeptControl>(
  name: Name,
  ...args: Parameters<KeptControl[Name]>
) => Promise<ReturnType<KeptControl[Name]>>;

/** The live rules behind such calls. */
export function liveStoreOver(call: CallControl, persistence: Persistence): LiveStore {
  return {
    read: async (known) => (await call("read", known.revision, known.lostAtMs)) ?? known,

    async *readHistory() {
      for (const version of await call("versions")) {
        const kept: KeptVersion | undefined = await call("version", version);
        if (kept?.document !== undefined) yield kept;
      }
    },

    putBack: (...args) => call("putBack", ...args),
    countTrial: (...args) => call("countTrial", ...args),
    persistence: async () => persistence,
  };
}

/** The control data behind such calls, as people read and change it. */
export function storageOver(call: CallControl): Storage {
  return {
    rules: () => call("rules"),
    publish: (...args) => call("publish", ...args),
    changeTrial: (...args) => call("changeTrial", ...args),
    withdraw: (...args) => call("withdraw", ...args),
    saveDraft: (...args) => call("saveDraft", ...args),
    draft: () => call("draft"),
    history: () => call("history"),
    version: (version) => call("version", version),
    putEntry: (...args) => call("putEntry", ...args),
    removeEntry: (...args) => call("removeEntry", ...args),
    entries: (kind) => call("entries", kind),
    audit: (before) => call("audit", before),
    note: (audited) => call("note", audited),
  };
}

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

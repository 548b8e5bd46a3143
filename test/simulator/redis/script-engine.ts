import { createHash } from "node:crypto";

import { refund } from "../../../src/algorithms/all.ts";
import {
  DECIDE,
  DECIDE_ONE,
  KEY_LOCKING,
  REFUND,
} from "../../../src/algorithms/scripts.generated.ts";
import { scriptOf } from "../../../src/store/redis/script.ts";
import type { Call, Execution } from "../call.ts";
import type { Keyspace } from "./keyspace.ts";
import { decide, type PolicyArguments, readArguments, readRefund } from "./script.ts";

/** EVALSHA or EVAL. */
export type Command = { readonly keys: readonly string[]; readonly args: readonly string[] } & (
  | { readonly sha1: string }
  | { readonly script: string }
);

export type ScriptAnswer = { readonly reply: readonly number[] } | { readonly error: string };

/** The scripts that a server has, in the dialects that it takes, and how it runs them. */
export interface ScriptEngine {
  carryOut(command: Command, call: Call): ScriptAnswer;
  flush(): void;
  /** Whether it knows the flag with which Upstash locks keys instead of the whole database. */
  setDialect(knowsKeyLocking: boolean): void;
}

export function createScriptEngine(
  keyspace: Keyspace,
  time: { readonly now: number },
  clock: () => number,
  executed: (execution: Execution, call: Call) => void,
): ScriptEngine {
  /** The functions of scripts, by their SHA-1. */
  const scripts = new Map<string, typeof execute>();
  let knowsKeyLocking = false;
  let executions = 0;

  function execute({ keys, args }: Command, call: Call): readonly number[] {
    const number = ++executions;
    const now = clock();
    const { operation, policies } = readArguments(keys, args);
    const costs = policies.map(({ cost }) => cost);
    if (operation === "reset") {
      for (const key of keys) keyspace.write(key, undefined, number);
      executed(
        { number, operation, costs, at: time.now, clock: now, keys, rows: [], given: [] },
        call,
      );
      return [now];
    }
    const entries = keys.map((key) => keyspace.read(key, now));
    const rows = decide({ operation, policies }, entries, now);
    for (const [i, { state, resetAfterUs }] of rows.entries()) {
      if (state === undefined || state === entries[i]?.state) continue;
      // As soon as the state says nothing any more: no algorithm's key may be missed after that.
      const end = now + resetAfterUs + followsFor(policies[i]!, now + resetAfterUs);
      const expiresAt = (Math.floor(end / 1000) + 1) * 1000;
      keyspace.write(keys[i]!, { algorithm: policies[i]!.algorithm, state, expiresAt }, number);
    }
    executed({ number, operation, costs, at: time.now, clock: now, keys, rows, given: [] }, call);
    const fields = rows.flatMap(({ allowed, remaining, retryAfterUs, resetAfterUs }) => [
      allowed ? 1 : 0,
      remaining,
      retryAfterUs,
      resetAfterUs,
    ]);
    return [now, ...fields];
  }

  function giveBack({ keys, args }: Command, call: Call): readonly number[] {
    const number = ++executions;
    const now = clock();
    const { takenAt, policies } = readRefund(keys, args);
    const given = policies.map(({ algorithm, cost, limit, parameters }, i) => {
      const entry = keyspace.read(keys[i]!, now);
      if (entry?.algorithm !== algorithm || takenAt > now) return 0;
      const request = { nowUs: now, takenAtUs: takenAt, cost, limit, parameters };
      const back = refund(algorithm, entry.state, request);
      if (back.refunded > 0) keyspace.write(keys[i]!, { ...entry, state: back.state }, number);
      return back.refunded;
    });
    const costs = policies.map(({ cost }) => cost);
    const at = time.now;
    executed({ number, operation: "refund", costs, at, clock: now, keys, rows: [], given }, call);
    return [now, ...given];
  }

  return {
    carryOut(command, call) {
      let sha1: string;
      if ("script" in command) {
        const { script } = command;
        const flagged = script.startsWith(KEY_LOCKING);
        const body = flagged ? script.slice(KEY_LOCKING.length) : script;
        const isOurs = [DECIDE, DECIDE_ONE].some(
          ({ before, after }) => body.startsWith(before) && body.endsWith(after),
        );
        if (!isOurs && body !== scriptOf(REFUND).text) {
          throw new Error("a script that is not Tidegate's");
        }
        if (flagged && !knowsKeyLocking) {
          return { error: "ERR Unexpected flag in script shebang: allow-key-locking" };
        }
        sha1 = createHash("sha1").update(script).digest("hex");
        scripts.set(sha1, isOurs ? execute : giveBack);
      } else ({ sha1 } = command);
      const run = scripts.get(sha1);
      return run
        ? { reply: run(command, call) }
        : { error: "NOSCRIPT No matching script. Please use EVAL." };
    },

    flush: () => scripts.clear(),

    setDialect(knows) {
      knowsKeyLocking = knows;
      scripts.clear();
    },
  };
}

/** For how long a fixed window off the grid says when the next one begins. */
function followsFor(
  { algorithm, parameters: { windowUs: window = 0 } }: PolicyArguments,
  ends: number,
): number {
  return algorithm === "fixed-window" && ends % window > 0 ? window : 0;
}

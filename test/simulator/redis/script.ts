import type { Evaluation } from "../../../src/algorithms/model.ts";
import type { Operation, Pass } from "../../../src/algorithms/model.ts";
import type { Algorithm } from "../../../src/policy/policy.ts";
import { modelOf } from "../../../src/store/memory.ts";
import { EVERY_IMPLEMENTATION } from "../../support/policy/implementations.ts";
import type { Entry } from "./keyspace.ts";

/** A letter of the last argument: how a policy takes part where not all are enforced. */
type Role = "e" | "a" | "d";

/** A policy as ARGV tells it. */
export interface PolicyArguments {
  readonly cost: number;
  readonly role: Role;
  readonly algorithm: Algorithm;
  readonly limit: number;
  readonly parameters: Readonly<Record<string, number>>;
}

/** ARGV read as lua/decide.lua documents it. */
export interface ScriptArguments {
  readonly operation: Operation | "reset";
  readonly policies: readonly PolicyArguments[];
}

/** Fields per policy in ARGV. */
const GROUP = 5;

/** @throws Error where the arguments are not those that the script documents */
export function readArguments(keys: readonly string[], args: readonly string[]): ScriptArguments {
  const [operation, ...groups] = args;
  const tags = new Set(keys.map((key) => /\{(.+?)\}/.exec(key)?.[1]));
  if (keys.length === 0 || tags.size !== 1 || tags.has(undefined)) {
    throw new Error(`keys without a common hash tag: ${keys.join(" ")}`);
  }
  if (operation === "reset") return { operation, policies: [] };
  if (!["consume", "peek", "charge"].includes(operation!))
    throw new Error(`operation ${operation}`);
  const roles = groups.length > GROUP * keys.length ? groups.pop() : undefined;
  if (
    groups.length !== GROUP * keys.length ||
    (roles !== undefined && !(/^[ead]{2,}$/.test(roles) && roles.length === keys.length))
  ) {
    throw new Error(`arguments ${args.join(" ")}`);
  }
  const policies = keys.map((_key, i) => {
    const [cost, algorithm, ...numbers] = groups.slice(GROUP * i, GROUP * (i + 1));
    const [limit, a, b] = numbers.map(wholeNumber);
    const [first, second] = EVERY_IMPLEMENTATION[algorithm as Algorithm].parameters;
    const parameters = { [first]: a!, [second]: b! };
    const role = (roles?.[i] ?? "e") as Role;
    return {
      cost: wholeNumber(cost),
      role,
      algorithm: algorithm as Algorithm,
      limit: limit!,
      parameters,
    };
  });
  return { operation: operation as Operation, policies };
}

/** ARGV read as lua/refund.lua documents it. */
export interface RefundArguments {
  readonly takenAt: number;
  readonly policies: readonly PolicyArguments[];
}

export function readRefund(keys: readonly string[], args: readonly string[]): RefundArguments {
  const [takenAt, ...groups] = args;
  const { policies } = readArguments(keys, ["consume", ...groups]);
  return { takenAt: wholeNumber(takenAt), policies };
}

function wholeNumber(text: string | undefined): number {
  if (text === undefined || !/^\d{1,16}$/.test(text)) throw new Error(`${text} is no whole number`);
  return Number(text);
}

/** Decides as lua/decide.lua does, on the models of its algorithms: either every enforced policy takes its cost, or none does. */
export function decide(
  { operation, policies }: ScriptArguments & { readonly operation: Operation },
  entries: readonly (Entry | undefined)[],
  now: number,
): Evaluation<unknown>[] {
  const states = policies.map(({ algorithm }, i) => {
    const entry = entries[i];
    return entry?.algorithm === algorithm ? entry.state : undefined;
  });
  /** With the state that the policy has then, if it was written. */
  function evaluate(i: number, asked: Pass, cost: number): Evaluation<unknown> {
    const { algorithm, limit, parameters } = policies[i]!;
    const operation = cost > 0 ? asked : asked === "charge" ? "peek" : asked;
    const request = { nowUs: now, operation, cost, limit, parameters };
    const { state, ...row } = modelOf({
      algorithm,
      implementation: EVERY_IMPLEMENTATION[algorithm],
    })(states[i], request);
    if (state !== undefined) states[i] = state;
    return { ...row, state };
  }

  if (operation !== "consume") {
    return policies.map(({ cost, role }, i) => {
      if (role !== "d") return evaluate(i, operation as Pass, cost);
      const row = evaluate(i, "peek", 1);
      return { ...row, allowed: row.retryAfterUs === 0 };
    });
  }
  const first = policies.map(({ cost, role }, i) => {
    if (role !== "d") return evaluate(i, "ask", cost);
    const row = cost > 0 ? evaluate(i, "charge", cost) : evaluate(i, "ask", 1);
    return { ...row, allowed: row.retryAfterUs === 0 };
  });
  const denying = policies.flatMap(({ role }, i) =>
    role !== "a" && !first[i]!.allowed ? [i] : [],
  );
  return policies.map(({ cost, role }, i) => {
    const row = first[i]!;
    if (role === "d") {
      const others = denying.filter((other) => other !== i);
      return others.length > 0 ? { ...evaluate(i, "charge", 1), allowed: row.allowed } : row;
    }
    return denying.length === 0 && row.allowed && cost > 0 ? evaluate(i, "consume", cost) : row;
  });
}

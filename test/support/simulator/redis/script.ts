import type { Evaluation } from "../../../../src/algorithms/model.ts";
import type { Operation } from "../../../../src/algorithms/model.ts";
import { IMPLEMENTATIONS } from "../../../../src/policy/from-data.ts";
import type { Algorithm } from "../../../../src/policy/policy.ts";
import type { Entry } from "./keyspace.ts";

/** A policy as ARGV tells it. */
export interface PolicyArguments {
  readonly algorithm: Algorithm;
  readonly limit: number;
  readonly parameters: Readonly<Record<string, number>>;
}

/** ARGV read as lua/decide.lua documents it. */
export interface ScriptArguments {
  readonly operation: Operation | "reset";
  readonly cost: number;
  readonly policies: readonly PolicyArguments[];
}

/** Fields per policy in ARGV. */
const GROUP = 5;

/** @throws Error where the arguments are not what the script documents */
export function readArguments(keys: readonly string[], args: readonly string[]): ScriptArguments {
  const [operation, cost, ...groups] = args;
  const tags = new Set(keys.map((key) => /\{(.+?)\}/.exec(key)?.[1]));
  if (keys.length === 0 || tags.size !== 1 || tags.has(undefined)) {
    throw new Error(`keys without a common hash tag: ${keys.join(" ")}`);
  }
  if (operation === "reset") return { operation, cost: 0, policies: [] };
  if (!["consume", "peek", "charge"].includes(operation!))
    throw new Error(`operation ${operation}`);
  const policies = keys.map((_key, i) => {
    const [algorithm, ...numbers] = groups.slice(GROUP * i, GROUP * (i + 1));
    const [limit, a, b] = numbers.map(wholeNumber);
    const [first, second] = IMPLEMENTATIONS[algorithm as Algorithm].parameters;
    const parameters = { [first]: a!, [second]: b! };
    return { algorithm: algorithm as Algorithm, limit: limit!, parameters };
  });
  if (groups.length !== GROUP * keys.length) throw new Error(`arguments ${args.join(" ")}`);
  return { operation: operation as Operation, cost: wholeNumber(cost), policies };
}

function wholeNumber(text: string | undefined): number {
  if (text === undefined || !/^\d{1,16}$/.test(text)) throw new Error(`${text} is no whole number`);
  return Number(text);
}

/**
 * What lua/decide.lua decides, on the models of its algorithms: either every policy takes the cost, or none does.
 */
export function decide(
  { operation, cost, policies }: ScriptArguments & { readonly operation: Operation },
  entries: readonly (Entry | undefined)[],
  now: number,
): Evaluation<unknown>[] {
  const evaluate = (operation: Operation) =>
    policies.map(({ algorithm, limit, parameters }, i) => {
      const entry = entries[i];
      const state = entry?.algorithm === algorithm ? entry.state : undefined;
      return IMPLEMENTATIONS[algorithm].model(state, {
        nowUs: now,
        operation,
        cost,
        limit,
        parameters,
      });
    });
  const first = evaluate(operation === "consume" ? "peek" : operation);
  const takes = operation === "consume" && first.every(({ allowed }) => allowed);
  return takes ? evaluate(operation) : first;
}

import { IMPLEMENTATIONS } from "../../../../src/algorithms/all.ts";
import { isRecord } from "../../../../src/options/record.ts";
import type { CompiledPolicy } from "../../../../src/policy/compile.ts";
import { hasUnitsToLease } from "../../../../src/policy/tighten.ts";
import type { Environment } from "../doctor/checks/environments.ts";
import type { WantedLease } from "../doctor/checks/leases.ts";
import {
  INSTEAD,
  MAX_VARIABLE_BYTES,
  NEAR_BYTES,
  type Variable,
} from "../doctor/checks/variables.ts";
import type { CountedRule } from "../doctor/gather/commands.ts";
import { checkedVariables, gatewayVariables, parseFile } from "./check-text.ts";
import { gatewayOf } from "./faults-of.ts";

/** The sizes of the variables of a wrangler file that grow with the rules; none of a file that cannot be read. */
export function variablesIn(file: string, text: string): readonly Variable[] {
  const { value, faults } = parseFile(file, text);
  if (faults.length > 0) return [];
  return checkedVariables(file, value).flatMap(({ path, vars }) =>
    ["RULES", "PLANS", "LISTS"].map((name) => ({
      name: `${path}.${name}`,
      bytes: new TextEncoder().encode(JSON.stringify(vars[name] ?? null)).length,
    })),
  );
}

/** A line for each variable that Cloudflare refuses for its size, or soon will, with a way out. */
export function oversizedVariables(file: string, text: string): readonly string[] {
  return variablesIn(file, text)
    .filter(({ bytes }) => bytes > NEAR_BYTES)
    .map(
      ({ name, bytes }) =>
        `warning: ${file}: ${name} has ${bytes} bytes, and a variable of a Worker takes ${MAX_VARIABLE_BYTES}: ${INSTEAD}.`,
    );
}

/** The prefixes under which the environments of a wrangler file count in Redis; none of a file that cannot be read. */
export function environmentsIn(file: string, text: string): readonly Environment[] {
  const { value, faults } = parseFile(file, text);
  if (faults.length > 0) return [];
  return gatewayVariables(file, value).flatMap(({ path, vars }) => {
    const { PREFIX = "tg", STORE = "redis" } = vars;
    const redisUrl = vars["UPSTASH_REDIS_REST_URL"] ?? vars["KV_REST_API_URL"];
    if (STORE !== "redis" || typeof PREFIX !== "string") return [];
    return [
      {
        name: path,
        prefix: PREFIX,
        redisUrl: typeof redisUrl === "string" ? redisUrl : undefined,
      },
    ];
  });
}

/** The rules of a wrangler file, by the algorithms of their policies; those that cannot be read are left out. */
export function rulesIn(file: string, text: string): readonly CountedRule[] {
  const { value, faults } = parseFile(file, text);
  if (faults.length > 0) return [];
  return checkedVariables(file, value).flatMap(({ path, vars }) =>
    listOf(vars["RULES"]).flatMap((rule, i) => {
      const algorithms = listOf(rule["policies"]).map(({ algorithm }) => algorithm);
      if (algorithms.length === 0 || !algorithms.every(isCounting)) return [];
      return { name: `${path}.RULES[${i}]`, algorithms };
    }),
  );
}

/** The records of a list, which may also be JSON as text. */
function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  const list: unknown = typeof value === "string" ? parse(value) : value;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCounting(algorithm: unknown): algorithm is keyof typeof IMPLEMENTATIONS {
  return Object.hasOwn(IMPLEMENTATIONS, String(algorithm));
}

/** The leases that the rules of a wrangler file ask for; none of a file with faults. */
export function leasesIn(file: string, text: string): readonly WantedLease[] {
  const { value, faults } = parseFile(file, text);
  if (faults.length > 0) return [];
  return checkedVariables(file, value).flatMap(({ path, vars }) => {
    const asking = policiesWith("lease", vars["RULES"]);
    return policiesOf(vars)
      .filter(({ name }) => asking.has(name))
      .map((policy) => wanted(path, policy));
  });
}

function policiesOf(vars: Readonly<Record<string, unknown>>): readonly CompiledPolicy[] {
  try {
    return gatewayOf(vars).ruleset.rules.flatMap(({ settings }) => settings.policies);
  } catch {
    // The check of rules says what is wrong.
    return [];
  }
}

/** The names of policies that have an option. */
function policiesWith(option: string, rules: unknown): ReadonlySet<string> {
  const list = Array.isArray(rules) ? rules.filter(isRecord) : [];
  const policies = list.flatMap(({ policies: each }) => (Array.isArray(each) ? each : []));
  const having = policies.filter((each) => isRecord(each) && each[option] !== undefined);
  return new Set(having.map((each) => String((each as { name?: unknown }).name)));
}

function wanted(path: string, policy: CompiledPolicy): WantedLease {
  const { name, limit, leaseUs } = policy;
  const named = `${path}: ${name}`;
  if (leaseUs !== undefined) return { policy: named, leaseMs: leaseUs / 1000 };
  return { policy: named, never: hasUnitsToLease(limit) ? "window" : "limit" };
}

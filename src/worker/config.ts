import * as z from "zod/mini";

import { compileRequest, type RequestLimiter } from "../adapter/request-limiter.ts";
import { Faults } from "../errors.ts";
import { checkSettings, type LimiterOptions, type LimiterSettings } from "../limiter/settings.ts";
import type { ClientIp } from "../partition/client-ip.ts";
import { memoryStore } from "../store/memory-store.ts";
import { openStore } from "../store/open-store.ts";
import type { Environment } from "../store/redis-client.ts";
import type { Store } from "../store/store.ts";

/** One rule, checked: which requests, and how they are limited. */
export interface Rule {
  readonly methods: readonly string[];
  readonly path: string;
  readonly settings: LimiterSettings;
  readonly limitRequest: RequestLimiter<Request>;
}

/** The gateway's configuration, checked. */
export interface GatewayConfig {
  /** Where requests go on to, without a slash at the end; `undefined` for the zone's own origin. */
  readonly origin: string | undefined;
  readonly rules: readonly Rule[];
  readonly store: Store;
}

const HTTP_URL = /^https?:\/\/[^\s/?#]+[^\s?#]*$/;

const Variables = z.object({
  ORIGIN: z
    .string('Give the origin\'s address, or "zone" to pass requests on within the zone.')
    .check(
      z.refine(
        (origin) => origin === "zone" || (HTTP_URL.test(origin) && URL.canParse(origin)),
        'Give an address such as "https://origin.example.com", or "zone".',
      ),
    ),
  STORE: z._default(z.enum(["redis", "memory"], 'Use "redis" or "memory".'), "redis"),
  PREFIX: z.optional(z.unknown()),
  TIMEOUT: z.optional(z.unknown()),
  ON_FAILURE: z.optional(z.unknown()),
  CLIENT_IP: z.optional(z.unknown()),
});

const METHOD = /^(?:\*|[A-Z]{1,20})$/;
const methodRemedy = 'Use "*" or methods in capitals: "POST", ["GET", "POST"].';
const Method = z.string(methodRemedy).check(z.regex(METHOD, methodRemedy));

/** What a rule holds besides its policies, which are checked where those of code are. */
const RuleShape = z.strictObject(
  {
    method: z._default(z.union([Method, z.array(Method).check(z.minLength(1))], methodRemedy), "*"),
    path: z
      .string('Give a path such as "/api/login" or "/api/*".')
      .check(
        z.regex(
          /^\/[^\s{}?#]*$/,
          'Begin with "/"; `:name` stands for one segment and a last `*` for the rest. Patterns in braces are not taken.',
        ),
      ),
    policies: z.unknown(),
    partition: z.optional(z.unknown()),
    onMissing: z.optional(z.unknown()),
    cost: z.optional(z.unknown()),
    onFailure: z.optional(z.unknown()),
  },
  "Give a table with method, path, policies, partition, onMissing, cost, onFailure, and nothing else.",
);

/**
 * Reads the gateway's configuration from a worker's variables.
 *
 * @throws ConfigurationError with every fault, each under the path at which it stands in the variables
 */
export function readConfig(environment: Environment): GatewayConfig {
  const faults = new Faults();
  const variables = check(Variables, environment, faults);
  const options = { prefix: variables?.PREFIX, onFailure: variables?.ON_FAILURE };
  const rules = readRules(environment["RULES"], options, variables?.CLIENT_IP, faults);
  const store =
    variables?.STORE === "memory"
      ? memoryStore()
      : openStore({ timeout: variables?.TIMEOUT } as LimiterOptions, environment, faults);
  faults.throwIfAny();
  const { ORIGIN } = variables!;
  return {
    origin: ORIGIN === "zone" ? undefined : ORIGIN.replace(/\/+$/, ""),
    rules,
    store: store!,
  };
}

function readRules(
  input: unknown,
  defaults: object,
  clientIp: unknown,
  faults: Faults,
): readonly Rule[] {
  const rules = typeof input === "string" ? parseJson(input) : input;
  if (!Array.isArray(rules) || rules.length === 0) {
    faults.add(
      "RULES",
      input,
      "Give a list of at least one rule; where variables are text, as JSON.",
    );
    return [];
  }
  const names = new Map<string, string>();
  return rules.map((rule: unknown, index): Rule => {
    const path = `RULES[${index}]`;
    const own = faults.within(path);
    const shape = check(RuleShape, rule, own);
    const options = { ...defaults, ...(rule as object) } as LimiterOptions;
    const settings = checkSettings({ ...omitUndefined(options) } as LimiterOptions, own);
    const limitRequest = compileRequest<Request>(
      omitUndefined({ ...(rule as object), clientIp: clientIp as ClientIp }),
      options.policies,
      own,
    );
    settings.policies.forEach(({ name }, policy) => {
      const earlier = names.get(name);
      if (earlier !== undefined && !earlier.startsWith(`${path}.`)) {
        own.add(
          `policies[${policy}].name`,
          name,
          `${earlier} has this name, too: one count for both would surprise.`,
        );
      }
      names.set(name, `${path}.policies[${policy}]`);
    });
    const method = shape?.method ?? "*";
    return {
      methods: typeof method === "string" ? [method] : method,
      path: shape?.path ?? "/",
      settings,
      limitRequest,
    };
  });
}

/** What a schema makes of a value; each issue is added as a fault at its own path. */
function check<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  faults: Faults,
): z.output<Schema> | undefined {
  const result = z.safeParse(schema, value);
  for (const { path, message } of result.error?.issues ?? []) {
    const found = path.reduce<unknown>(
      (at, key) => (at as Record<PropertyKey, unknown>)?.[key],
      value,
    );
    faults.add(path.join(".") || "(whole)", found, message);
  }
  return result.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function omitUndefined<T extends object>(options: T): T {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as T;
}

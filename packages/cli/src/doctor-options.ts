import { parseDuration } from "../../../src/options/duration.ts";
import {
  checkedVariables,
  checkText,
  gatewayVariables,
  parseFile,
  syntaxFaults,
} from "./check/check-text.ts";
import { environmentsIn, leasesIn, rulesIn, variablesIn } from "./check/in-wrangler-file.ts";
import { readToken } from "./connection.ts";
import { type Algorithm, ALGORITHMS } from "./doctor/memory-formula.ts";
import type { DoctorOptions } from "./doctor/options.ts";
import { UsageError } from "./errors.ts";
import { readFile } from "./files.ts";

/** The options of `tidegate doctor` as they are written. */
export interface DoctorArguments {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly adminUrl?: string;
  readonly preview?: string;
  readonly path?: string;
  readonly method?: string;
  readonly identityHeader?: string;
  readonly restUrl?: string;
  readonly restTokenFile?: string;
  readonly redisUrl?: string;
  readonly regionUrl?: string;
  readonly prefix?: string;
  readonly limiterTimeout?: string;
  readonly config?: string;
  readonly partitions?: string;
  readonly policies?: string;
  readonly algorithm?: string;
  readonly limit?: string;
}

export function readDoctorOptions(
  args: DoctorArguments,
  environment: NodeJS.ProcessEnv,
): DoctorOptions {
  const { path, prefix, algorithm, redisUrl, preview, adminUrl } = args;
  const url = args.url ?? (environment["TIDEGATE_URL"] || undefined);
  const rest = readRest(args.restUrl, args.restTokenFile, environment);
  if (url !== undefined) requireUrl("--url", url, /^https?:/);
  if (preview !== undefined) requireUrl("--preview", preview, /^https?:/);
  if (adminUrl !== undefined) requireUrl("--admin-url", adminUrl, /^https?:/);
  if (adminUrl !== undefined && url === undefined) {
    throw new UsageError("--admin-url needs --url: it is another host of that deployment.");
  }
  if (preview !== undefined && url === undefined) {
    throw new UsageError("--preview needs --url: it is compared with that deployment.");
  }
  if (redisUrl !== undefined) requireUrl("--redis-url", redisUrl, /^rediss?:/);
  if ([url, redisUrl, rest, args.regionUrl, args.config].every((each) => each === undefined)) {
    throw new UsageError("Give --url, --rest-url, --redis-url, --region-url or --config.");
  }
  if (path !== undefined && !/^\/[!-~]*$/.test(path)) {
    throw new UsageError(`--path takes an escaped path that begins with "/", not "${path}".`);
  }
  if (algorithm !== undefined && !ALGORITHMS.some((known) => known === algorithm)) {
    throw new UsageError(`--algorithm takes one of ${ALGORITHMS.join(", ")}, not "${algorithm}".`);
  }
  const hasToken = args.tokenFile !== undefined || Boolean(environment["TIDEGATE_TOKEN"]);
  const options = {
    url,
    token: url !== undefined && hasToken ? readToken(args.tokenFile, environment) : undefined,
    adminUrl,
    preview,
    rest,
    redisUrl,
    region: readRegion(args.regionUrl, environment),
    path,
    method: readMethod(args.method),
    prefix,
    identityHeader: readHeaderName(args.identityHeader),
    algorithm: algorithm as Algorithm | undefined,
    partitions: readCount("--partitions", args.partitions),
    policies: readCount("--policies", args.policies),
    limit: readCount("--limit", args.limit),
    timeoutMs: readTimeout(args.limiterTimeout),
    ...readConfig(args.config),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function readConfig(
  file: string | undefined,
): Pick<DoctorOptions, "faults" | "variables" | "environments" | "leases" | "rules"> {
  if (file === undefined) return {};
  const text = readFile(file);
  requireGateway(file, text);
  const rules = rulesIn(file, text);
  return {
    faults: checkText(file, text),
    variables: variablesIn(file, text),
    environments: environmentsIn(file, text),
    leases: leasesIn(file, text),
    ...(rules.length > 0 && { rules }),
  };
}

/** A file in which nothing could be found must not look like one without findings. */
function requireGateway(file: string, text: string): void {
  const parsed = parseFile(file, text);
  const [fault] = syntaxFaults(file, parsed);
  if (fault) throw new UsageError(`${file}:${fault.line}:${fault.column}: ${fault.remedy}`);
  const sets = [gatewayVariables(file, parsed.value), checkedVariables(file, parsed.value)];
  if (sets.every(({ length }) => length === 0)) {
    throw new UsageError(
      `--config takes a wrangler file of a gateway, and ${file} has no vars with ORIGIN or RULES.`,
    );
  }
}

function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const us = parseDuration(text);
  if (us !== undefined && us >= 1e3) return us / 1e3;
  throw new UsageError(`--limiter-timeout takes a time such as 250ms, not "${text}".`);
}

function readRest(
  text: string | undefined,
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
): DoctorOptions["rest"] {
  const url = text ?? (environment["UPSTASH_REDIS_REST_URL"] || undefined);
  if (url === undefined) {
    if (file !== undefined) throw new UsageError("--rest-token-file needs --rest-url.");
    return undefined;
  }
  requireUrl("--rest-url", url, /^https?:/);
  const token =
    file === undefined ? environment["UPSTASH_REDIS_REST_TOKEN"] : readFile(file).trim();
  if (!token)
    throw new UsageError("--rest-url needs --rest-token-file or UPSTASH_REDIS_REST_TOKEN.");
  return { url, token };
}

function readRegion(
  text: string | undefined,
  environment: NodeJS.ProcessEnv,
): DoctorOptions["region"] {
  const url = text ?? (environment["REGION_REDIS_REST_URL"] || undefined);
  if (url === undefined) return undefined;
  requireUrl("--region-url", url, /^(?:https?|rediss?):/);
  if (!url.startsWith("http")) return { url };
  const token = environment["REGION_REDIS_REST_TOKEN"];
  if (!token) throw new UsageError("--region-url needs REGION_REDIS_REST_TOKEN for a REST API.");
  return { url, token };
}

/** Without the value in the message: it may hold a password. */
function requireUrl(option: string, value: string, scheme: RegExp): void {
  if (scheme.test(value) && URL.canParse(value)) return;
  throw new UsageError(`${option} takes an address such as ${EXAMPLES[option]}.`);
}

const EXAMPLES: Readonly<Record<string, string>> = {
  "--url": "https://api.example.com",
  "--admin-url": "https://admin.example.com",
  "--preview": "https://preview.example.com",
  "--rest-url": "https://name.upstash.io",
  "--region-url": "redis://127.0.0.1:6380",
  "--redis-url": "redis://127.0.0.1:6379",
};

function readMethod(method: string | undefined): string | undefined {
  if (method === undefined || /^[A-Za-z]{1,20}$/.test(method)) return method?.toUpperCase();
  throw new UsageError(`--method takes a method such as POST, not "${method}".`);
}

function readHeaderName(name: string | undefined): string | undefined {
  if (name === undefined || /^[\w!#$%&'*+.^`|~-]+$/.test(name)) return name?.toLowerCase();
  throw new UsageError(`--identity-header takes the name of a header, not "${name}".`);
}

function readCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (count > 0) return count;
  throw new UsageError(`${option} takes a number from 1, not "${text}".`);
}

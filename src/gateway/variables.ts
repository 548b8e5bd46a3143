import * as z from "zod/mini";

import { DEFAULTS } from "../limiter/settings.ts";
import { type Duration, parseDuration } from "../options/duration.ts";
import type { Faults } from "../options/faults.ts";
import { isNear } from "../options/unknown-options.ts";
import { type Environment, onWorkers } from "../runtime/environment.ts";
import { check } from "./check.ts";

const Origin = z
  .string('Give the origin\'s address, or "zone" to pass requests on within the zone.')
  .check(
    z.maxLength(2_048, "Give an address of at most 2,048 characters."),
    z.refine(
      isOrigin,
      'Give an address without credentials or query, such as "https://origin.example.com", or "zone".',
    ),
    z.refine(
      (origin) => origin !== "zone" || onWorkers(),
      "Give an address: zones are Cloudflare's, here requests would come back for ever.",
    ),
  );

const StoreName = z._default(z.enum(["redis", "memory"], 'Use "redis" or "memory".'), "redis");

const prefixRemedy = "Use 1 to 64 ASCII letters, digits, dots, underscores, dashes or colons.";
const Prefix = z._default(
  z.string(prefixRemedy).check(z.regex(/^[A-Za-z0-9._:-]{1,64}$/, prefixRemedy)),
  DEFAULTS.prefix,
);

const Timeout = z.optional(
  z.custom<Duration>((duration) => {
    const microseconds = parseDuration(duration) ?? 0;
    return microseconds >= 1e3 && microseconds <= 60e6;
  }, 'Give a time from "1ms" to "1m", such as "250ms".'),
);

const OnFailure = z._default(
  z.enum(["open", "closed", "local"], 'Use "open", "closed" or "local".'),
  DEFAULTS.onFailure,
);

const Shared = z.optional(
  z.enum(["colo", "none"], 'Use "colo" to share denials in a data centre, or "none".'),
);

const AmbiguousPaths = z._default(
  z.enum(
    ["refuse", "pass"],
    'Use "refuse", or "pass" to apply the rules of every reading of a path.',
  ),
  "refuse",
);
/** Every variable that the gateway reads. */
const NAMES = [
  "ORIGIN",
  "STORE",
  "PREFIX",
  "TIMEOUT",
  "ON_FAILURE",
  "CLIENT_IP",
  "SHARED_DENIALS",
  "AMBIGUOUS_PATHS",
  "RULES",
  "UPSTASH_REDIS_REST_URL",
  "UPSTASH_REDIS_REST_TOKEN",
  "KV_REST_API_URL",
  "KV_REST_API_TOKEN",
];

/** The variables that are not rules, checked; one at fault has its default, so that what depends on it can be read. */
export interface Variables {
  readonly origin: string;
  readonly store: "redis" | "memory";
  readonly prefix: string;
  readonly timeout: Duration | undefined;
  readonly onFailure: "open" | "closed" | "local";
  /** Where denials are shared; `undefined`: in the data centre, where the platform has a cache. */
  readonly shared: "colo" | "none" | undefined;
  /** What becomes of a path that origins may read as one under other rules. */
  readonly ambiguousPaths: "refuse" | "pass";
}

/** Checks the variables that are not rules; every fault is added under the variable's name. */
export function readVariables(environment: Environment, faults: Faults): Variables {
  const read = <Schema extends z.ZodMiniType>(schema: Schema, name: string) =>
    check(schema, environment[name], name, faults);
  return {
    origin: read(Origin, "ORIGIN") ?? "",
    store: read(StoreName, "STORE") ?? "redis",
    prefix: read(Prefix, "PREFIX") ?? DEFAULTS.prefix,
    timeout: read(Timeout, "TIMEOUT"),
    onFailure: read(OnFailure, "ON_FAILURE") ?? DEFAULTS.onFailure,
    shared: read(Shared, "SHARED_DENIALS"),
    ambiguousPaths: read(AmbiguousPaths, "AMBIGUOUS_PATHS") ?? "refuse",
  };
}

function isOrigin(origin: string): boolean {
  return (
    origin === "zone" ||
    (/^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/.test(origin) && URL.canParse(origin))
  );
}

/**
 * Adds a fault for each variable that looks like a misspelt one of the gateway. An environment has variables of others,
 * too: only where ours is missing, and only what is no other word (CLIENT_ID, ORIGINS), is taken for it.
 */
export function checkNamesOfVariables(environment: Environment, faults: Faults): void {
  const missing = NAMES.filter((name) => environment[name] === undefined);
  for (const key of Object.keys(environment)) {
    if (NAMES.includes(key) || environment[key] === undefined) continue;
    const meant = missing.find((name) => isMisspelt(key, name));
    // It may be the token.
    if (meant) faults.add(key, "(hidden)", `Did you mean ${meant}? Rename it.`);
  }
}

/** Whether a name is the other in another case, with other separators, or with one letter added, left out or moved. */
function isMisspelt(key: string, name: string): boolean {
  const [a, b] = [key, name].map((text) => text.toUpperCase().replace(/[^A-Z0-9]/g, ""));
  if (a === b) return true;
  if (a === `${b}S`) return false;
  return a!.length === b!.length
    ? [...a!].sort().join() === [...b!].sort().join() && isNear(a!, b!, 2)
    : isNear(a!, b!, 1);
}

import * as z from "zod/mini";

import type { Faults } from "../errors.ts";
import { DEFAULTS } from "../limiter/settings.ts";
import { type Duration, parseDuration } from "../policy/duration.ts";
import { type Environment, onWorkers } from "../runtime.ts";
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
  z.literal("colo", 'Use "colo" to share denials in a data centre, or leave it out.'),
);

const AmbiguousPaths = z._default(
  z.enum(
    ["refuse", "pass"],
    'Use "refuse", or "pass" to apply the rules of every reading of a path.',
  ),
  "refuse",
);

/** The variables that are not rules, checked; one at fault has its default, so that what depends on it can be read. */
export interface Variables {
  readonly origin: string;
  readonly store: "redis" | "memory";
  readonly prefix: string;
  readonly timeout: Duration | undefined;
  readonly onFailure: "open" | "closed" | "local";
  /** Where denials are shared. */
  readonly shared: "colo" | undefined;
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

import { checkDuration, type DurationRange } from "../../options/duration.ts";
import type { Faults } from "../../options/faults.ts";
import {
  CHOICE,
  JWKS_URL,
  JWT_ALGORITHMS,
  JWT_HEADER,
  JWT_KEYS,
  JWT_NAMES,
  JWT_SECRET,
  JWT_TWO_KEYS,
  OPTIONS,
} from "../../options/messages.ts";
import { isRecord } from "../../options/record.ts";
import { checkOptions } from "../../options/unknown-options.ts";
import { SOURCE } from "../../partition/source-text.ts";
import { ASYMMETRIC, SYMMETRIC } from "./jwt-options.ts";

/** The checked options, with their defaults. */
export interface JwtSettings {
  readonly keys: { readonly jwks: string } | { readonly secret: string };
  readonly issuer: readonly string[] | undefined;
  readonly audience: readonly string[] | undefined;
  readonly algorithms: readonly string[];
  readonly clockSkewSeconds: number;
  /** In lower case. */
  readonly header: string;
  readonly onInvalid: "missing" | "reject";
}

const NAMES = [
  "jwks",
  "secret",
  "issuer",
  "audience",
  "algorithms",
  "clockSkew",
  "header",
  "onInvalid",
];

const ADDRESS = /^https?:\/\/[^\s/?#@\\]+(?:[/?][^\s#\\]*)?$/;

/** A minute is more than any clock that a network sets is wrong. */
const SKEW_RANGE: DurationRange = { min: "0s", max: "1m", example: "5s" };

/** HS256 needs as many bytes as its hash has (RFC 7518, 3.2). */
const MIN_SECRET = 32;
const MAX_SECRET = 1_024;

/** Each is compared with each token. */
const MAX_NAMES = 16;

/** Checks whose tokens are verified; `undefined` without the option, and after a fault. A secret appears in no fault. */
export function checkJwt(options: unknown, path: string, faults: Faults): JwtSettings | undefined {
  if (options === undefined) return undefined;
  if (!isRecord(options)) {
    faults.add(path, "(hidden)", OPTIONS);
    return undefined;
  }
  const before = faults.list.length;
  checkOptions(options, NAMES, `${path}.`, faults);
  const { header = "authorization", onInvalid = "missing" } = options;
  const us = checkDuration(options["clockSkew"] ?? "5s", SKEW_RANGE, `${path}.clockSkew`, faults);
  if (typeof header !== "string" || !SOURCE.test(`header:${header}`)) {
    faults.add(`${path}.header`, header, JWT_HEADER);
  }
  if (onInvalid !== "missing" && onInvalid !== "reject") {
    faults.add(`${path}.onInvalid`, onInvalid, CHOICE, ["missing", "reject"]);
  }
  const settings = {
    keys: keysIn(options, path, faults),
    issuer: namesIn(options["issuer"], `${path}.issuer`, faults),
    audience: namesIn(options["audience"], `${path}.audience`, faults),
    algorithms: algorithmsIn(options, path, faults),
    clockSkewSeconds: us! / 1e6,
    header: String(header).toLowerCase(),
    onInvalid: onInvalid as "missing" | "reject",
  };
  return faults.list.length > before ? undefined : settings;
}

function keysIn(
  { jwks, secret }: Readonly<Record<string, unknown>>,
  path: string,
  faults: Faults,
): JwtSettings["keys"] {
  if (jwks !== undefined && secret !== undefined) {
    faults.add(`${path}.secret`, "(hidden)", JWT_TWO_KEYS);
  } else if (jwks === undefined && secret === undefined) {
    faults.add(`${path}.jwks`, undefined, JWT_KEYS);
  } else if (secret !== undefined) {
    const { length } = Object(secret) as { readonly length?: unknown };
    const isLong = Number(length) >= MIN_SECRET && Number(length) <= MAX_SECRET;
    if (typeof secret !== "string" || !isLong) {
      faults.add(`${path}.secret`, "(hidden)", JWT_SECRET);
    }
    return { secret: String(secret) };
  } else if (typeof jwks !== "string" || !ADDRESS.test(jwks) || !URL.canParse(jwks)) {
    faults.add(`${path}.jwks`, jwks, JWKS_URL);
  }
  return { jwks: String(jwks) };
}

function namesIn(names: unknown, path: string, faults: Faults): readonly string[] | undefined {
  if (names === undefined) return undefined;
  const list: readonly unknown[] = Array.isArray(names) ? Array.from(names) : [names];
  const areTexts = list.every((name) => typeof name === "string" && name !== "");
  if (!areTexts || list.length === 0 || list.length > MAX_NAMES) {
    faults.add(path, names, JWT_NAMES, MAX_NAMES);
  }
  return list as readonly string[];
}

function algorithmsIn(
  { algorithms, secret }: Readonly<Record<string, unknown>>,
  path: string,
  faults: Faults,
): readonly string[] {
  const known: readonly string[] = secret === undefined ? ASYMMETRIC : SYMMETRIC;
  if (algorithms === undefined) return known;
  const isList = Array.isArray(algorithms) && algorithms.length > 0;
  const list = isList ? Array.from(algorithms as readonly unknown[]) : [];
  if (list.length === 0 || !list.every((each) => known.includes(each as string))) {
    faults.add(`${path}.algorithms`, algorithms, JWT_ALGORITHMS, known);
  }
  return list as readonly string[];
}

import type { Faults } from "../../options/faults.ts";
import { isRecord } from "../../options/record.ts";
import type { Environment } from "../../runtime/environment.ts";
import { fromJson } from "../rules/from-json.ts";
import {
  EXAMPLE_TOKEN,
  NAMED_TOKEN,
  NAMED_TOKENS,
  SAME_TOKEN,
  TOKEN,
} from "../rules/variable-messages.ts";

/** The tokens of the admin API: one each, or two with a blank between them during a replacement. */
export interface Tokens {
  /** Reads and writes; `undefined` if no token may. */
  readonly admin: string | undefined;
  /** Reads. */
  readonly read: string | undefined;
  /** The SHA-256 of further tokens that read and write, in hexadecimal digits, by the names of their owners. */
  readonly named: ReadonlyMap<string, string>;
}

/** Whether anybody may use the admin API. */
export function hasTokens({ admin, read, named }: Tokens): boolean {
  return admin !== undefined || read !== undefined || named.size > 0;
}

/** The tokens of a variable. */
export function tokensIn(variable: string | undefined): readonly string[] {
  return variable?.split(" ") ?? [];
}

/** One is in use, the other about to be. */
const MAX_TOKENS = 2;

/** 20 random characters of base64 are 120 bits, which is impossible to guess. */
const TOKEN_TEXT = /^[!-~]{20,256}$/;

/** A random token of 20 characters all but never has fewer different ones; words and repetitions have. */
const MIN_DIFFERENT = 10;

/** Words of examples that may have been pasted. */
const EXAMPLE = /change[-_ ]?me|example|your[-_]|secret|password|token|admin|1234567|abcdef/i;

/** Checks the tokens of the admin API. Their values never appear in a fault. */
export function readTokens(environment: Environment, faults: Faults): Tokens {
  const read = (name: "ADMIN_TOKEN" | "READ_TOKEN") => {
    const value = environment[name];
    // Some platforms have an empty text for a variable that is not set.
    if (value === undefined || value === "") return undefined;
    const token = typeof value === "string" ? value : undefined;
    const tokens = tokensIn(token);
    const isSound = tokens.length > 0 && tokens.length <= MAX_TOKENS;
    if (!isSound || !tokens.every((token) => TOKEN_TEXT.test(token))) {
      faults.add(name, "(hidden)", TOKEN);
    } else if (tokens.some(isExample)) {
      faults.add(name, "(hidden)", EXAMPLE_TOKEN);
    }
    return token;
  };
  const [admin, reading] = [read("ADMIN_TOKEN"), read("READ_TOKEN")];
  if (tokensIn(admin).some((token) => tokensIn(reading).includes(token))) {
    faults.add("READ_TOKEN", "(hidden)", SAME_TOKEN);
  }
  return { admin, read: reading, named: readNamed(environment["ADMIN_TOKENS"], faults) };
}

/** A person, or a job. */
const NAME = /^[A-Za-z0-9][\w.@+-]{0,63}$/;

/** The author of the data that gateways put back. */
const RESERVED = "gateway";

const DIGEST = /^sha256:([0-9a-f]{64})$/;

/** More tokens than people change limits. Each is compared with each token that is sent. */
const MAX_NAMED = 100;

function readNamed(value: unknown, faults: Faults): ReadonlyMap<string, string> {
  if (value === undefined || value === "") return new Map();
  const table = fromJson(value);
  const entries = isRecord(table) ? Object.entries(table) : undefined;
  const found = new Map<string, string>();
  for (const [name, digest] of entries ?? []) {
    const hex = DIGEST.exec(String(digest))?.[1];
    if (!NAME.test(name) || name === RESERVED || hex === undefined) {
      // Somebody who takes the variable for that of one token has put it there: no message shows it.
      faults.add(`ADMIN_TOKENS.${name.slice(0, 64)}`, "(hidden)", NAMED_TOKEN);
    } else found.set(name, hex);
  }
  if (entries === undefined || entries.length === 0 || entries.length > MAX_NAMED) {
    faults.add("ADMIN_TOKENS", "(hidden)", NAMED_TOKENS, MAX_NAMED);
  }
  return found;
}

function isExample(token: string): boolean {
  return EXAMPLE.test(token) || new Set(token).size < MIN_DIFFERENT;
}

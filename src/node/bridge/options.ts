import { parseArgs } from "node:util";

import { DANGEROUS } from "./allowed-commands.ts";
import type { BridgeOptions } from "./bridge.ts";
import { randomToken } from "./random-token.ts";

/** The text of `--help`. */
export const USAGE = `Usage: tidegate-redis-rest [options]

The Upstash REST protocol in front of a Redis.

  --redis URL          redis:// or rediss:// (default redis://127.0.0.1:6379);
                       for a cluster one or more of its nodes, separated by commas;
                       the password may be in REDIS_PASSWORD instead
  --port N             where to listen (default 8079; 0 takes a free port)
  --host ADDRESS       default 127.0.0.1
  --allow-host NAME    a name besides localhost that clients may call it by; may be repeated
  --token TOKEN        what clients must present (default REDIS_REST_TOKEN; without it,
                       on loopback only, a random one, which is printed)
  --previous-token TOKEN
                       one that is taken, too, until all clients have the new one
                       (default REDIS_REST_TOKEN_PREVIOUS)
  --cluster            the URL is that of a Redis Cluster
  --allow COMMAND      a command of the list below, or "dangerous" for all of them;
                       may be repeated
  --emulate upstash    accept scripts flagged allow-key-locking, as Upstash does
  --help

Commands that can harm other clients run only where --allow names them:
${DANGEROUS.map((name) => `  ${name}`).join("\n")}`;

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);

export interface Settings {
  readonly options: BridgeOptions;
  /** Whether the token was drawn, so that it must be printed. */
  readonly drawn: boolean;
}

/**
 * Reads the arguments, and the token and the password from the environment.
 *
 * @returns `undefined` where `--help` is all that is asked for
 * @throws Error that says which argument is wrong, and how it has to be
 */
export function readOptions(argv: readonly string[]): Settings | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      redis: { type: "string", default: "redis://127.0.0.1:6379" },
      port: { type: "string", default: "8079" },
      host: { type: "string", default: "127.0.0.1" },
      "allow-host": { type: "string", multiple: true, default: [] },
      token: { type: "string" },
      "previous-token": { type: "string" },
      allow: { type: "string", multiple: true, default: [] },
      cluster: { type: "boolean", default: false },
      emulate: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;

  for (const url of values.redis.split(",")) requireRedisUrl(url);
  if (!values.cluster && values.redis.includes(",")) {
    throw new Error("--redis takes several URLs only with --cluster");
  }
  const port = /^\d+$/.test(values.port) ? Number(values.port) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`--port takes 0 to 65535, not "${values.port}"`);
  const { emulate } = values;
  if (emulate !== undefined && emulate !== "upstash") {
    throw new Error(`--emulate knows "upstash", not "${emulate}"`);
  }
  const allow = values.allow.flatMap(dangerousOf);
  const configured = secret("--token", values.token, process.env["REDIS_REST_TOKEN"]);
  if (configured === undefined && !loopback.has(values.host)) {
    throw new Error("--token must be given, and not empty, to listen beyond loopback");
  }
  const previousToken = secret(
    "--previous-token",
    values["previous-token"],
    process.env["REDIS_REST_TOKEN_PREVIOUS"],
  );
  if (previousToken !== undefined && configured === undefined) {
    throw new Error("--previous-token needs the token that replaces it: --token");
  }
  const password = process.env["REDIS_PASSWORD"]?.replace(/[\r\n]+$/, "");

  const { redis, host, cluster, "allow-host": allowedHosts } = values;
  const token = configured ?? randomToken();
  return {
    options: {
      redis,
      port,
      host,
      allowedHosts,
      token,
      ...(previousToken !== undefined && { previousToken }),
      cluster,
      allow,
      ...(password && { password }),
      ...(emulate && { emulate }),
    },
    drawn: configured === undefined,
  };
}

/** @throws Error for an option that is empty, or is no header value. An empty variable counts as missing. */
function secret(name: string, option: string | undefined, variable: string | undefined) {
  // A secret read from a file often ends with a line break.
  const text = (option ?? (variable || undefined))?.trim();
  if (text === "") throw new Error(`${name} must not be empty`);
  if (text !== undefined && !/^[ -~]+$/.test(text)) {
    throw new Error(`${name} takes printable ASCII characters: no others fit into a header field`);
  }
  return text;
}

/** @throws Error for a command that runs anyway, or never */
function dangerousOf(text: string): readonly string[] {
  const name = text.trim().replaceAll(/\s+/g, " ").toUpperCase();
  if (name === "DANGEROUS") return DANGEROUS;
  if (DANGEROUS.includes(name)) return [name];
  throw new Error(`--allow takes "dangerous" or a command that --help lists, not "${text}"`);
}

/** @throws Error which shows an address only where no part of it can be a password */
function requireRedisUrl(url: string): void {
  const isUrl = /^rediss?:\/\/./.test(url) && URL.canParse(url);
  const { pathname = "", hash = "" } = isUrl ? new URL(url) : {};
  // A password with a slash or a hash ends there, and the rest of it would be taken for a path, or dropped.
  if (isUrl && hash === "" && /^(?:\/\d*)?$/.test(pathname)) return;
  const isPlain = /^[a-z]*(?::\/\/)?[\w.-]+(?::\d+)?$/i.test(url);
  throw new Error(
    isPlain
      ? `--redis takes a redis:// or rediss:// URL, not "${url}"`
      : "--redis takes a redis:// or rediss:// URL, not this one (hidden). In a password, write / as %2F, # as %23, ? as %3F, @ as %40 and , as %2C, or give it in REDIS_PASSWORD",
  );
}

import type { Command } from "commander";

import { parseDuration } from "../../../src/options/duration.ts";
import { type ApiAnswer, type ApiCall, ApiClient, type Connection } from "./client.ts";
import { UsageError } from "./errors.ts";
import { readFile } from "./files.ts";
import { note } from "./output/print.ts";
import { withSpinner } from "./output/spinner.ts";

/** Whether an address is of this machine itself, so that no network is on the way. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The options that every command has. */
interface GlobalOptions {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly timeout: string;
  readonly json?: true;
}

/** Asks the gateway that the options and the environment name: the connection of every command over HTTP. */
export type Ask = <Schema extends Parameters<ApiClient["ask"]>[1]>(
  call: ApiCall,
  schema: Schema,
) => Promise<ApiAnswer<Schema["_zod"]["output"]>>;

export function connect(command: Command): Ask {
  const connection = connectionOf(command);
  const client = new ApiClient(connection);
  return (call, schema) => withSpinner(`Asking ${connection.url}`, () => client.ask(call, schema));
}

/** The gateway that the options and the environment name, and the token for it. */
export function connectionOf(command: Command): Connection {
  const options = command.optsWithGlobals<GlobalOptions>();
  return {
    url: readUrl(options.url ?? process.env["TIDEGATE_URL"]),
    token: readToken(options.tokenFile, process.env),
    timeoutMs: readTimeout(options.timeout),
  };
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<GlobalOptions>().json === true;
}

function readUrl(text: string | undefined): string {
  if (!text) {
    throw new UsageError(
      "Which gateway? Set TIDEGATE_URL or give --url, such as https://api.example.com.",
    );
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (!isOrigin) {
    throw new UsageError(
      "The gateway's address has a scheme and a host and nothing else, such as https://api.example.com.",
    );
  }
  if (url.protocol === "http:" && !isLoopback(url)) {
    note("Warning: the address begins with http, so that the token can be read on the way.");
  }
  return url.origin;
}

/** From a file or the environment: arguments are visible to every process of a machine. */
export function readToken(file: string | undefined, environment: NodeJS.ProcessEnv): string {
  const token = (file === undefined ? environment["TIDEGATE_TOKEN"] : readFile(file))?.trim();
  if (!token) {
    throw new UsageError(
      file === undefined
        ? "Set TIDEGATE_TOKEN to the gateway's ADMIN_TOKEN or READ_TOKEN, or give --token-file."
        : `${file} is empty: write the token into it.`,
    );
  }
  if (/^[!-~]{20,256}$/.test(token)) return token;
  throw new UsageError("A token has 20 to 256 printable ASCII characters and no blanks.");
}

function readTimeout(text: string): number {
  const us = parseDuration(text);
  if (us !== undefined && us >= 1e3 && us <= 600e6) return us / 1e3;
  throw new UsageError(`--timeout takes a time from 1ms to 10m, such as 30s, not "${text}".`);
}

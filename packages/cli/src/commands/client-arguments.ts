import type { Command } from "commander";

import { UsageError } from "../errors.ts";
import { collect, type SpanOptions } from "./shared-options.ts";

/** Gives a command the arguments that describe a request, and has it run with that description. */
export function aboutRequest(
  command: Command,
  run: (request: object, command: Command) => Promise<void>,
): Command {
  return withRequestOptions(
    command
      .argument("<method>", "its method, such as GET")
      .argument("<path>", "its path with the query, such as '/rides?x=1'"),
  ).action((method: string, path: string, options: RequestOptions, own: Command) =>
    run(requestOf(method, path, options), own),
  );
}

/** A client by a request of it, or by its name in `top`. */
export type ClientArgument = { readonly request: object } | { readonly digest: string };

/** The options of a command that also takes a client by its name. */
export interface ClientOptions extends RequestOptions, SpanOptions {
  readonly digest?: true;
  readonly policy?: string;
}

/** Gives a command the arguments that describe a request or name its client, and has it run with that client. */
export function aboutClient(
  command: Command,
  run: (client: ClientArgument, options: ClientOptions, command: Command) => Promise<void>,
): Command {
  return withRequestOptions(
    command
      .argument("<method>", "its method, such as GET; with --digest the client's name")
      .argument("[path]", "its path with the query, such as '/rides?x=1'")
      .option("--digest", "the client is named as `tidegate top` names it"),
  ).action((first: string, path: string | undefined, options: ClientOptions, own: Command) => {
    const client = options.digest ? named(first, path, options) : described(first, path, options);
    return run(client, options, own);
  });
}

function named(digest: string, path: string | undefined, options: RequestOptions): ClientArgument {
  const { header, ip, country, asn } = options;
  if ([path, header, ip, country, asn].every((each) => each === undefined)) return { digest };
  throw new UsageError("With --digest, give the client's name and nothing of a request.");
}

function described(
  method: string,
  path: string | undefined,
  options: RequestOptions,
): ClientArgument {
  if (path !== undefined) return { request: requestOf(method, path, options) };
  throw new UsageError(
    "Give a method and a path, or a client's name as `tidegate top` prints it with --digest.",
  );
}

function withRequestOptions(command: Command): Command {
  return command
    .option("-H, --header <header>", "a header as 'name: value'; may be repeated", collect)
    .option("--ip <address>", "the client's address (default: none)")
    .option("--country <code>", "its country, two capitals (default: none)")
    .option("--asn <number>", "the number of its network (default: none)");
}

interface RequestOptions {
  readonly header?: readonly string[];
  readonly ip?: string;
  readonly country?: string;
  readonly asn?: string;
}

/** The description of a request that the admin API takes. */
function requestOf(method: string, path: string, options: RequestOptions): object {
  const { header = [], ip, country, asn } = options;
  if (!path.startsWith("/")) throw new UsageError(`A path begins with "/", not "${path}".`);
  if (asn !== undefined && !/^\d{1,10}$/.test(asn)) {
    throw new UsageError(`--asn takes a number without "AS", such as 64496, not "${asn}".`);
  }
  return {
    method: method.toUpperCase(),
    path,
    ...(header.length > 0 && { headers: Object.fromEntries(joined(header)) }),
    ...(ip !== undefined && { ip }),
    ...(country !== undefined && { country }),
    ...(asn !== undefined && { asn: Number(asn) }),
  };
}

/** Headers of one name are joined, as a server reads them. */
function joined(headers: readonly string[]): Headers {
  const result = new Headers();
  for (const header of headers) {
    const colon = header.indexOf(":");
    try {
      result.append(header.slice(0, Math.max(0, colon)), header.slice(colon + 1));
    } catch {
      throw new UsageError("--header takes 'name: value', with a colon and no line break.");
    }
  }
  return result;
}

import type { RedisCommand } from "./backend.ts";
import { BridgeError } from "./errors.ts";
import { COMMAND_BYTES, type HeldMemory, requireRoom, VALUE_BYTES } from "./request-memory.ts";

export type Ask =
  | { readonly kind: "command"; readonly command: RedisCommand }
  | { readonly kind: "pipeline" | "transaction"; readonly commands: readonly RedisCommand[] };

const batches = { "/pipeline": "pipeline", "/multi-exec": "transaction" } as const;

/** Each is an object of its own until its reply is there: more end a process of 128 MB. */
const MAX_COMMANDS = 5_000;

/** The most arguments of all commands of one request. A batch of metrics has 40,000. */
const MAX_ARGUMENTS = 100_000;

/** The most values in one body, with all that is in arguments that are lists or objects. */
const MAX_VALUES = 250_000;

const bodyMethods = ["POST", "PUT"];
export const methods = ["GET", "HEAD", ...bodyMethods];

export interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Not with URL, which takes `.` and `..` out of a path whose segments are arguments. */
export function parseTarget(target: string): Target {
  const [path = "", query] = target.split(/\?(.*)/s);
  return { path, query: new URLSearchParams(query) };
}

/** @throws BridgeError 503 where the memory has no room for what the body becomes */
export function parseAsk(method: string, target: Target, body: Buffer, memory: HeldMemory): Ask {
  const hasBody = bodyMethods.includes(method);
  const { path } = target;
  if (path === "/pipeline" || path === "/multi-exec") {
    if (!hasBody) throw new BridgeError(405, `ERR ${path} takes POST`);
    const list = parseList(body, memory);
    requireAtMost(MAX_COMMANDS, "commands", list.length);
    requireRoom(memory.grow(list.length * COMMAND_BYTES));
    const lengths = list.map((command) => (Array.isArray(command) ? command.length : 0));
    requireAtMost(
      MAX_ARGUMENTS,
      "arguments",
      lengths.reduce((sum, length) => sum + length, 0),
    );
    return { kind: batches[path], commands: list.map(parseCommand) };
  }
  if (path !== "/") return { kind: "command", command: parsePath(target, body) };
  if (!hasBody) throw new BridgeError(404, "ERR no command in the path. POST one to /");
  return { kind: "command", command: parseCommand(parseJson(body, memory)) };
}

/** `/set/foo?EX=100` with the value as the body: path, then body, then the options of the query. */
function parsePath({ path, query }: Target, body: Buffer): RedisCommand {
  const [name = "", ...segments] = path.replaceAll(/^\/|\/$/g, "").split("/");
  // Upstash takes the token here: it must not end up in a key.
  const options = [...query].filter(([option]) => option !== "_token");
  return {
    name: commandName(String(unescape(name))),
    args: [
      ...segments.map(unescape),
      ...(body.length > 0 ? [body] : []),
      ...options.flatMap(([option, value]) => (value === "" ? [option] : [option, value])),
    ],
  };
}

/** To bytes, as a percent-encoded argument needn't be UTF-8. */
function unescape(segment: string): Buffer {
  return Buffer.from(segment.replaceAll(/%([0-9a-f]{2})/gi, byte), "latin1");
}

function byte(_: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function parseList(body: Buffer, memory: HeldMemory): unknown[] {
  const list = parseJson(body, memory);
  if (Array.isArray(list) && list.length > 0) return list;
  throw new BridgeError(400, "ERR expected a non-empty JSON array of commands");
}

function parseCommand(value: unknown): RedisCommand {
  if (!Array.isArray(value) || value.length === 0) {
    throw new BridgeError(400, "ERR a command is a non-empty JSON array");
  }
  requireAtMost(MAX_ARGUMENTS, "arguments", value.length);
  const [name, ...args] = value.map(stringify);
  return { name: commandName(name ?? ""), args };
}

function requireAtMost(most: number, what: string, count: number): void {
  if (count <= most) return;
  throw new BridgeError(
    413,
    `ERR too many ${what} in one request. Limit: ${most}, Actual: ${count}`,
  );
}

function commandName(name: string): string {
  if (name === "") throw new BridgeError(400, "ERR empty command name");
  return name.toUpperCase();
}

function stringify(arg: unknown): string {
  if (typeof arg === "string") return arg;
  if (arg === null) throw new BridgeError(400, "ERR null args are not supported");
  try {
    return JSON.stringify(arg);
  } catch {
    throw new BridgeError(400, "ERR an argument is nested too deep");
  }
}

function parseJson(body: Buffer, memory: HeldMemory): unknown {
  const values = countValues(body);
  requireAtMost(MAX_VALUES, "values", values);
  requireRoom(memory.grow(values * VALUE_BYTES));
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new BridgeError(400, "ERR failed to parse the request body as JSON");
  }
}

/** The bytes of a double quote, `\`, `,` and a blank, and of the brackets of lists and objects. */
const [QUOTE, BACKSLASH, COMMA, SPACE] = [0x22, 0x5c, 0x2c, 0x20];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * How many values a JSON text has, nested ones too, and names in objects not. `JSON.parse` makes an object of each before
 * anything can look at them: ten megabytes of `{}` end a process of 192 MB. A text that is no JSON gets some number, which
 * is right up to where `JSON.parse` stops.
 */
export function countValues(json: Buffer): number {
  let values = 1;
  let isOpened = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (byte <= SPACE) continue;
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      // Its first value; commas count the others.
      values++;
      isOpened = true;
      continue;
    }
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === COMMA) values++;
    else if (isOpened && (byte === CLOSE_LIST || byte === CLOSE_OBJECT)) values--;
    isOpened = false;
  }
  return values;
}

/** The index of the quote that ends the string which begins here. */
function endOfString(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

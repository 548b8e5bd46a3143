import { ConfigurationError, type Fault, type FaultCode } from "./errors.ts";

/**
 * A kind of fault, with its sentence.
 *
 * A check names the kind and gives the values; it makes no sentence. `messages.ts` has the kinds, so that a bundle has
 * the sentences of its checks and no others.
 */
export interface FaultKind<Values = void> {
  readonly code: FaultCode;
  /** A text, or a function of the fault's values. */
  readonly say: string | ((values: Values) => string);
}

/** Adds a fault of the value in hand. */
export type Refuse = <Values = void>(
  kind: FaultKind<Values>,
  ...values: void extends Values ? [] : [Values]
) => undefined;

/** Collects every fault of a configuration before any is thrown. */
export class Faults {
  /** In the order of discovery. */
  readonly list: Fault[] = [];

  /** @param values those that the kind's sentence says */
  add<Values = void>(
    path: string,
    value: unknown,
    kind: FaultKind<Values>,
    ...values: void extends Values ? [] : [Values]
  ): void {
    const { code, say } = kind;
    const remedy = typeof say === "string" ? say : say(values[0] as Values);
    this.put({ path, code, value: describe(value), remedy });
  }

  /** Puts a fault where the others of its configuration are. */
  put(fault: Fault): void {
    this.list.push(fault);
  }

  /** Throws a ConfigurationError if there is any fault. */
  throwIfAny(): void {
    if (this.list.length > 0) throw new ConfigurationError(this.list);
  }
}

/** The slashes of an address: as they are, escaped as JSON, which may be quoted in JSON again, or escaped as in an address. */
const SLASHES = /(?:\\{0,4}\/|%2f){2}/i;

/** The query of an address, whose slashes and `=` may be escaped. */
const QUERY = /((?:\\{0,4}\/|%2f){2}[^"]*?(?:=|%3d))[^"]+/i;

/** A value as it appears in source code, short enough for one line of a log. */
function describe(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (value === undefined) return "missing";
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = "an object that cannot be shown";
  }
  // Addresses may contain credentials with any character, and keys in their query. A pattern for the former would search
  // a text of many slashes too long.
  const begin = SLASHES.exec(text);
  const start = begin ? begin.index + begin[0].length : Infinity;
  const end = Math.max(text.lastIndexOf("@"), text.lastIndexOf("%40"));
  if (end >= start) text = `${text.slice(0, start)}(hidden)${text.slice(end)}`;
  // Only the start is shown.
  text = text.slice(0, 2_000).replace(QUERY, "$1(hidden)");
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

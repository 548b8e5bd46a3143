import { ConfigurationError, type Fault } from "../errors/errors.ts";

/** Collects every fault of a configuration before any is thrown. */
export class Faults {
  /** In the order of discovery. */
  readonly list: Fault[] = [];

  add(path: string, value: unknown, remedy: string): void {
    this.list.push({ path, value: describe(value), remedy });
  }

  /** Throws a ConfigurationError if there is any fault. */
  throwIfAny(): void {
    if (this.list.length > 0) throw new ConfigurationError(this.list);
  }
}

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
  // Addresses may contain credentials with any character, and keys in their query. Only the start of a long text is
  // shown.
  text = text.slice(0, 2_000);
  text = text.replace(/\/\/[^]*@/, "//(hidden)@").replace(/(\/\/[^"]*?=)[^"]+/, "$1(hidden)");
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

import type { FaultCode } from "../../src/options/errors.ts";
import { fixedWindow, tokenBucket } from "../support/limiter/plain.ts";

/** The path and the value that the error names, what the limiter gets, the code, and what the remedy has of the options. */
export type Faulty = [fault: string, options: object, code: FaultCode, says?: string];

/** Values of one option that have the same fault. */
export const each = <T>(
  path: string,
  code: FaultCode,
  values: readonly T[],
  optionsOf: (value: T) => object,
): Faulty[] => values.map((value) => [`${path}: ${shown(value)}`, optionsOf(value), code]);

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}

export const policy = fixedWindow({ limit: 10, window: "1s" });
export const withPolicy = (changes: object) => ({ policies: [{ ...policy, ...changes }] });
export const withOptions = (changes: object) => ({ policies: [policy], ...changes });
export const withBucket = (changes: object) => ({
  policies: [{ ...tokenBucket({ limit: 10, refill: 1, per: "1s" }), ...changes }],
});

/** The code of an error of Tidegate. New codes may be added; the meaning of a code never changes. */
export type ErrorCode =
  /** The configuration has faults; `faults` lists all of them. */
  | "ERR_CONFIGURATION"
  /** `identity` is not a string with at least one character, or has no dimension that a policy counts by. */
  | "ERR_IDENTITY"
  /** `cost` is not a whole number of units from 0, or names no policy. */
  | "ERR_COST"
  /** `plan` is not one of the limiter's plans. */
  | "ERR_PLAN"
  /**
   * A hold is settled below what it reserved of a policy that gives nothing back; its `ttl` is wrong; or `limit()` is
   * called where a `concurrency` policy needs a hold.
   */
  | "ERR_HOLD"
  /** Redis did not answer within `timeout`. */
  | "ERR_STORE_TIMEOUT"
  /** Redis could not be reached, or the connection broke. */
  | "ERR_STORE_UNREACHABLE"
  /** Redis rejected the token. */
  | "ERR_STORE_UNAUTHORIZED"
  /** Redis replied with an error. */
  | "ERR_STORE_REFUSED"
  /** The answer is not one of Tidegate's script. */
  | "ERR_STORE_REPLY"
  /** Redis failed several times in a row and is not asked until the next probe. */
  | "ERR_STORE_SUSPENDED";

/** The base of all errors that Tidegate throws or reports. Distinguish them by `code`. */
export class TidegateError extends Error {
  override readonly name: string = "TidegateError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** One thing wrong with a configuration. */
export interface Fault {
  /** Where: `policies[0].limit`. */
  readonly path: string;
  /** The value, shortened, without secrets. */
  readonly value: string;
  /** What is wrong with it, and what to do. */
  readonly remedy: string;
}

/** An invalid configuration, with every fault. Thrown at construction, never while a request is decided. */
export class ConfigurationError extends TidegateError {
  override readonly name = "ConfigurationError";
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const lines = faults.map(({ path, value, remedy }) => `  ${path}: ${value}: ${remedy}`);
    super(
      "ERR_CONFIGURATION",
      `Tidegate's configuration has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}:\n${lines.join("\n")}`,
    );
    this.faults = faults;
  }
}

/** Redis gave no usable answer. Passed to `decision.error` and `onStoreError`; a decision is made anyway. */
export class StoreError extends TidegateError {
  override readonly name = "StoreError";
}

/** Whether Redis surely did nothing, because it was not asked. After any other failure it may have done all of it. */
export function isNotAsked({ code }: StoreError): boolean {
  return code === "ERR_STORE_SUSPENDED";
}

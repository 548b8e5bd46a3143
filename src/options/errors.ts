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
   * A hold is settled below what it reserved of a policy that gives no units back; its `ttl` is wrong; or `limit()` is
   * called where a `concurrency` policy needs a hold.
   */
  | "ERR_HOLD"
  /** A request to a language model must not be sent on; `faults` say why. Answer it with 400. */
  | "ERR_REQUEST"
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
  /** A key has a type that Tidegate does not write: another program uses it, and nothing was written. */
  | "ERR_STORE_FOREIGN"
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

/** The kind of the fault. New codes may be added; the meaning of a code never changes. */
export type FaultCode =
  /** No option has this name. */
  | "unknown-option"
  /** A required value is missing. */
  | "missing"
  /** The value has the wrong form: not a text, a list, an object or a function, as required. */
  | "shape"
  /** A number or a time is too small or too large. */
  | "range"
  /** The value is not one of the allowed words. */
  | "choice"
  /** There are too many items, or too many bytes. */
  | "too-many"
  /** It is given twice. */
  | "duplicate"
  /** The name of a policy, a plan or a part of a path that does not exist. */
  | "unknown-name"
  /** It cannot be given together with another option, or with the value of that one. */
  | "conflict"
  /** The platform, the store or this kind of limiter cannot do it. */
  | "unsupported"
  /** It would never have an effect. */
  | "without-effect"
  /** The text is no JSON. */
  | "no-json";

/** One fault of a configuration. */
export interface Fault {
  /** The path of the value: `policies[0].limit`. */
  readonly path: string;
  readonly code: FaultCode;
  /** The value, shortened, without secrets. */
  readonly value: string;
  /** The problem and its remedy. */
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
  /** The region whose store failed, where it is not the Redis that counts. */
  declare readonly region?: string;
}

/** Whether Redis was not asked, and so did not run the call. After any other failure the call may have run. */
export function isNotAsked({ code }: StoreError): boolean {
  return code === "ERR_STORE_SUSPENDED";
}

/** Every code that an error of Tidegate can carry. New ones may be added; none changes its meaning. */
export type ErrorCode =
  /** The configuration has faults; `faults` lists all of them. */
  | "ERR_CONFIGURATION"
  /** `identity` is not a string with at least one character. */
  | "ERR_IDENTITY"
  /** `cost` is not a whole number of units from 0. */
  | "ERR_COST"
  /** Redis did not answer within the timeout (`timeout`). */
  | "ERR_STORE_TIMEOUT"
  /** Redis could not be reached, or the connection broke. */
  | "ERR_STORE_UNREACHABLE"
  /** Redis refused the token. */
  | "ERR_STORE_UNAUTHORIZED"
  /** Redis answered with an error of its own. */
  | "ERR_STORE_REFUSED"
  /** What came back is not an answer of Tidegate's script. */
  | "ERR_STORE_REPLY"
  /** Redis failed several times in a row and is not asked until the next probe. */
  | "ERR_STORE_SUSPENDED";

/** Base of all errors that Tidegate throws or reports. Tell them apart by `code`. */
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
  /** What stands there, shortened, secrets left out. */
  readonly value: string;
  /** What is wrong with it, and what to do. */
  readonly remedy: string;
}

/** The configuration has faults, all of them listed. Thrown at construction, never while a request is decided. */
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

/** Redis gave no usable answer. It reaches `decision.error` and `onStoreError`; a decision is made all the same. */
export class StoreError extends TidegateError {
  override readonly name = "StoreError";
}

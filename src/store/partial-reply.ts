import type { Row } from "../algorithms/model.ts";
import { StoreError } from "../errors/errors.ts";

/** A call over several masters of which some did not answer. */
class PartialError extends StoreError {
  /** Why a policy's master did not answer; a hole for those that did. */
  readonly failures: readonly (StoreError | undefined)[];

  constructor(failures: readonly (StoreError | undefined)[]) {
    const { code, message } = failures.find((failure) => failure !== undefined)!;
    super(code, message);
    this.failures = failures;
  }
}

/** What the masters that did answer took. */
interface AnsweredRows {
  /** Of the policies whose master answered; the others are holes. */
  readonly rows: readonly (Row | undefined)[];
  /** The clocks of their masters, in microseconds. */
  readonly clocksUs: readonly (number | undefined)[];
  /** Gives back what was taken; resolves with the rows as they are then. */
  readonly giveBack: () => Promise<readonly (Row | undefined)[]>;
}

/** A decision over several masters of which some did not answer. */
export class PartialReplyError extends PartialError implements AnsweredRows {
  readonly rows: AnsweredRows["rows"];
  readonly clocksUs: AnsweredRows["clocksUs"];
  readonly giveBack: AnsweredRows["giveBack"];

  constructor(
    failures: readonly (StoreError | undefined)[],
    { rows, clocksUs, giveBack }: AnsweredRows,
  ) {
    super(failures);
    this.rows = rows;
    this.clocksUs = clocksUs;
    this.giveBack = giveBack;
  }
}

/** A refund over several masters of which some did not answer. */
export class PartialRefundError extends PartialError {
  /** How many units came back, one number per policy; 0 where the master did not answer. */
  readonly given: readonly number[];

  constructor(failures: readonly (StoreError | undefined)[], given: readonly number[]) {
    super(failures);
    this.given = given;
  }
}

import type { Row } from "../algorithms/model.ts";
import { StoreError } from "../options/errors.ts";

/** A call over several masters, some of which did not answer. */
class PartialError extends StoreError {
  /** The failure of each policy's master; a hole for those that answered. */
  readonly failures: readonly (StoreError | undefined)[];

  constructor(failures: readonly (StoreError | undefined)[]) {
    const { code, message } = failures.find((failure) => failure !== undefined)!;
    super(code, message);
    this.failures = failures;
  }
}

/** The units that the answering masters took. */
interface AnsweredRows {
  /** Rows of the policies whose master answered; the others are holes. */
  readonly rows: readonly (Row | undefined)[];
  /** The clocks of their masters, in microseconds. */
  readonly clocksUs: readonly (number | undefined)[];
  /** Gives taken units back; resolves with the updated rows. */
  readonly giveBack: () => Promise<readonly (Row | undefined)[]>;
}

/** A decision over several masters, some of which did not answer. */
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

/** A refund over several masters, some of which did not answer. */
export class PartialRefundError extends PartialError {
  /** The units that came back, one number per policy; 0 if the master did not answer. */
  readonly refunded: readonly number[];

  constructor(failures: readonly (StoreError | undefined)[], refunded: readonly number[]) {
    super(failures);
    this.refunded = refunded;
  }
}

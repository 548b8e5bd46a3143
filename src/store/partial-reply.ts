import type { Row } from "../algorithms/model.ts";
import { StoreError } from "../errors/errors.ts";

/** A decision over several masters of which some did not answer. */
export class PartialReplyError extends StoreError {
  /** Of the policies whose master answered; the others are holes. */
  readonly rows: readonly (Row | undefined)[];
  /** Gives back what was taken; resolves with the rows as they are then. */
  readonly giveBack: () => Promise<readonly (Row | undefined)[]>;

  constructor(
    { code, message }: StoreError,
    rows: readonly (Row | undefined)[],
    giveBack: PartialReplyError["giveBack"],
  ) {
    super(code, message);
    this.rows = rows;
    this.giveBack = giveBack;
  }
}

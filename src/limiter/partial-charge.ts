import { isNotAsked, StoreError } from "../errors/errors.ts";

/** What one shard of each policy was to be charged. */
export interface ChargedPart {
  /** One per policy. */
  readonly costs: readonly number[];
  /** Why it has no answer; `undefined` if it was charged. */
  readonly error: StoreError | undefined;
}

/** A charge of several shards of which some did not answer. */
export class PartialChargeError extends StoreError {
  readonly parts: readonly ChargedPart[];

  constructor(parts: readonly ChargedPart[]) {
    const errors = parts.flatMap(({ error }) => error ?? []);
    const { code, message } = errors.find((error) => !isNotAsked(error)) ?? errors[0]!;
    super(code, message);
    this.parts = parts;
  }
}

/**
 * What went wrong with a charge; `undefined` if nothing did.
 *
 * @param parts what each was to charge
 * @param errors why a part has no answer
 */
export function failureOf(
  parts: readonly Pick<ChargedPart, "costs">[],
  errors: readonly (StoreError | undefined)[],
): StoreError | undefined {
  if (errors.every((error) => !error)) return undefined;
  if (parts.length === 1) return errors[0];
  return new PartialChargeError(parts.map(({ costs }, i) => ({ costs, error: errors[i] })));
}

/** A failure of the store as a value: all parts end before the first failure is told. */
export function toFailure(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  throw error;
}

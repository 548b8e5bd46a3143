import { StoreError } from "../../options/errors.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Reply, Store } from "../store.ts";

/** Home gave no answer, and the region has counted the request meanwhile. */
export class StandInError extends StoreError {
  readonly reply: Reply;

  constructor({ code, message }: StoreError, reply: Reply) {
    super(code, message);
    this.reply = reply;
  }
}

/** The key of a policy that a region counts by itself. Neither a policy's key nor a pool's ends like this. */
const aloneKeyOf = (key: string): string => `${key}:alone`;

/**
 * Counts a request in the region, with its share of each limit. Always throws: a StandInError with the answer, or the failure of home
 * if a policy has no share, or if the region gives no answer either.
 */
export async function standIn(
  nearby: Pick<Store, "decide">,
  failure: unknown,
  keys: readonly string[],
  costs: readonly number[],
  policies: readonly CompiledPolicy[],
): Promise<never> {
  const shares = policies.flatMap(({ share }) => share ?? []);
  if (!(failure instanceof StoreError) || shares.length < policies.length) throw failure;
  let reply: Reply;
  try {
    reply = await nearby.decide("consume", keys.map(aloneKeyOf), costs, shares);
  } catch {
    throw failure;
  }
  throw new StandInError(failure, reply);
}

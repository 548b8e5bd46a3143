import type { StoreError } from "../errors/errors.ts";
import type { PartialReplyError } from "../store/partial-reply.ts";
import type { Reply } from "../store/store.ts";
import type { KeysOf } from "./roles.ts";
import { type PartitionedRequest, partOf, type Taken } from "./selection.ts";
import type { Undecided } from "./take.ts";

/** What is known of a request about some of whose policies the store gave no answer. */
export type PartlyKnown = Undecided | PartialReplyError;

/** What a decision without some of its answers took: of each group, by whom it was counted. */
export function takenOf(
  request: PartitionedRequest,
  keysOf: KeysOf,
  reply: Reply,
  error: StoreError,
  partial: PartlyKnown | undefined,
): readonly Taken[] {
  if (!partial) return [{ request, keys: keysOf(request), reply, error }];
  const { groups, starts } = request.selection;
  return groups.map(({ policies }, group): Taken => {
    const start = starts[group]!;
    const part = partOf(request, [group]);
    const keys = keysOf(part);
    const rows = reply.rows.slice(start, start + policies.length);
    return partial.rows[start]
      ? { request: part, keys, reply: { nowUs: partial.clocksUs[start]!, rows } }
      : {
          request: part,
          keys,
          reply: { ...reply, rows },
          error: partial.failures[start] ?? error,
        };
  });
}

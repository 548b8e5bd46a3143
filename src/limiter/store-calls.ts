import type { Operation } from "../algorithms/model.ts";
import { StoreError } from "../errors/errors.ts";
import { PartialReplyError } from "../store/partial-reply.ts";
import type { Reply, Store } from "../store/store.ts";
import type { KeysOf, Roles } from "./roles.ts";
import type { PartitionedRequest } from "./selection.ts";

/** A call of the store with the costs that the roles of its policies make of a request. */
export interface StoreCall {
  /** @throws StoreError */
  send(): Promise<Reply>;
  /** What the request costs where the call failed, for this isolate's memory. */
  failed(error: StoreError): readonly number[];
}

export interface StoreCalls {
  prepare(operation: Operation, request: PartitionedRequest): StoreCall;
  /** Takes what a part of a request costs. */
  take(part: PartitionedRequest): Promise<Reply>;
}

/** @param roles for policies that are not enforced, or count denials */
export function createStoreCalls(
  store: Store,
  keysOf: KeysOf,
  roles: Roles | undefined,
): StoreCalls {
  function prepare(operation: Operation, request: PartitionedRequest): StoreCall {
    const asked = roles?.ask(operation, request, keysOf);
    const { selection, reservation } = request;
    const { costs } = asked ?? request;
    return {
      async send() {
        const slot = reservation?.slot;
        const reply = await store.decide(
          operation,
          keysOf(request),
          costs,
          selection.policies,
          slot,
        );
        if (!roles) return reply;
        roles.noteRoom(request, keysOf, reply);
        return roles.withoutRoom(operation, request, reply);
      },

      failed(error) {
        const isPartial = error instanceof PartialReplyError;
        return asked?.failed(isPartial ? error.failures : costs.map(() => error)) ?? costs;
      },
    };
  }

  return {
    prepare,

    async take(part) {
      const call = prepare("consume", part);
      try {
        return await call.send();
      } catch (error) {
        if (error instanceof StoreError) call.failed(error);
        throw error;
      }
    },
  };
}

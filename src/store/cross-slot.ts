import { StoreError } from "../options/errors.ts";

/** A Redis Cluster refuses keys of several hash slots in one call. It did not run the call. */
export class CrossSlotError extends StoreError {
  constructor() {
    super(
      "ERR_STORE_REFUSED",
      "Redis answered: CROSSSLOT: for a Redis Cluster, give redis: cluster({ url, token }).",
    );
  }
}

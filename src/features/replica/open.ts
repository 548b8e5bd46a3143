import { checkDuration } from "../../options/duration.ts";
import type { Faults } from "../../options/faults.ts";
import { REPLICA_OPTION } from "../../options/messages.ts";
import { PlacedFaults } from "../../options/placed-faults.ts";
import { openClient, type RedisParts } from "../../store/open-store.ts";
import { DEFAULT_REPLICA_TIMEOUT, REPLICA_TIMEOUT_RANGE, type ReplicaOptions } from "./options.ts";
import { readOnlyClient } from "./read-only-client.ts";
import { createReplica, type Replica } from "./replica.ts";

/**
 * Checks the options of a replica, and opens it; `undefined` without one, and after a fault.
 *
 * @param parts the parts of its connection
 */
export function openReplica(
  {
    replica,
    replicaTimeout = DEFAULT_REPLICA_TIMEOUT,
    dialect,
    denialCache,
    store,
  }: ReplicaOptions,
  faults: Faults,
  { clients, counted }: Pick<RedisParts, "clients" | "counted">,
): Replica | undefined {
  const timeoutUs = checkDuration(replicaTimeout, REPLICA_TIMEOUT_RANGE, "replicaTimeout", faults);
  if (replica === undefined) return undefined;
  if (typeof replica !== "object" || replica === null || denialCache === false || store) {
    // The object may contain a token.
    const shown = typeof replica === "object" && replica !== null ? "(an object)" : replica;
    faults.add("replica", shown, REPLICA_OPTION);
    return undefined;
  }
  const own = new PlacedFaults(faults, {
    pathsOf: (path) => [path.replace(/^redis/, "replica")],
  });
  // A fault of the timeout ends in one of the limiter, so its value does not matter.
  const timeoutMs = (timeoutUs ?? 1_000) / 1_000;
  const settings = { timeoutMs, dialect, connect: readOnlyClient };
  const opened = openClient(replica, {}, settings, clients, own);
  if (!opened) return undefined;
  const client = counted?.client(opened.client) ?? opened.client;
  return createReplica({ ...opened, client }, timeoutMs);
}

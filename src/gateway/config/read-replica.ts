import { openReplica } from "../../features/replica/open.ts";
import type { Replica } from "../../features/replica/replica.ts";
import type { Duration } from "../../options/duration.ts";
import type { Faults } from "../../options/faults.ts";
import { PlacedFaults } from "../../options/placed-faults.ts";
import type { Environment } from "../../runtime/environment.ts";
import type { CountedRedis } from "../../store/redis/counted-redis.ts";
import { REPLICA_WITHOUT_REDIS } from "../rules/variable-messages.ts";
import type { Variables } from "./variables.ts";

/** The variables of a replica, by the paths of the options that they stand for. */
const NAMES: Readonly<Record<string, string>> = {
  replica: "REPLICA_URL",
  "replica.url": "REPLICA_URL",
  "replica.token": "REPLICA_TOKEN",
  replicaTimeout: "REPLICA_TIMEOUT",
};

/**
 * Opens the replica that the variables name; `undefined` without one, and after a fault.
 *
 * @param counted counts the commands of its client
 */
export function readReplica(
  { store, dialect, replicaTimeout }: Variables,
  environment: Environment,
  counted: CountedRedis | undefined,
  faults: Faults,
): Replica | undefined {
  // Some platforms have an empty text for a variable that is not set.
  const [url, token] = [environment["REPLICA_URL"], environment["REPLICA_TOKEN"]].map((value) =>
    value === "" ? undefined : value,
  );
  if ([url, token, replicaTimeout].every((value) => value === undefined)) return undefined;
  if (store !== "redis") {
    faults.add("REPLICA_URL", "(an address)", REPLICA_WITHOUT_REDIS);
    return undefined;
  }
  const own = new PlacedFaults(faults, { pathsOf: (path) => [NAMES[path] ?? path] });
  const timeout = replicaTimeout && { replicaTimeout: replicaTimeout as Duration };
  return openReplica(
    { replica: { url, token } as never, ...timeout, ...(dialect && { dialect }) },
    own,
    { counted },
  );
}

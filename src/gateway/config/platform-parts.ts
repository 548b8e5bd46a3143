import type { DecisionListener } from "../../features/decision-listener.ts";
import type { NoticeListener } from "../../features/notice-marks.ts";
import type { SharedCache, SharedDenials } from "../../features/shared-denials.ts";
import type { OpenRecorder } from "../../metrics/metrics.ts";
import type { Faults } from "../../options/faults.ts";
import type { Environment } from "../../runtime/environment.ts";
import type { durableObjectRegion } from "../../store/durable-object-region.ts";
import type { durableObjectStore } from "../../store/durable-object-store.ts";
import { endpointIn } from "../../store/redis/endpoint.ts";
import { NO_SHARING } from "../rules/variable-messages.ts";
import type { StoreName } from "./variables.ts";

/** The parts of a platform that the configuration needs. */
export interface PlatformParts {
  /** Shares denials within a data centre, between limiters that give the same name. */
  readonly coloDenials?: (name: string) => SharedDenials;
  /** A cache of the data centre, through which isolates share the live rules they read. */
  readonly coloCache?: (name: string) => SharedCache;
  /** The admin API, which needs live rules. */
  readonly admin?: unknown;
  /** The metrics: `metrics` of `tidegate/admin`. */
  readonly metrics?: OpenRecorder;
  /** The store of `STORE = "durable-object"`: `durableObjectStore` of `tidegate/durable-object`. */
  readonly durableObjectStore?: typeof durableObjectStore;
  /** The stores of `REGION_STORES` with a `locationHint`: `durableObjectRegion` of `tidegate/durable-object`. */
  readonly durableObjectRegion?: typeof durableObjectRegion;
  /** Called with each decision, also one of a list that lets a client pass; see `onDecision` of a limiter. */
  readonly onDecision?: DecisionListener;
  /** Called with each notice of a policy with `notify`, as `onNotice` of a limiter. */
  readonly onNotice?: NoticeListener;
}

/** Denials are shared wherever the platform can, unless `SHARED_DENIALS` is `"none"`. */
export function readSharing(
  shared: "colo" | "none" | undefined,
  environment: Environment,
  store: StoreName,
  { coloDenials }: PlatformParts,
  faults: Faults,
): SharedDenials | undefined {
  if (shared === "none") return undefined;
  if (coloDenials === undefined || store !== "redis") {
    if (shared === "colo") {
      faults.add("SHARED_DENIALS", "colo", NO_SHARING);
    }
    return undefined;
  }
  // Named after the Redis, because its denials are not valid for counts in another one.
  return coloDenials(endpointIn(environment).url);
}

import type * as z from "zod/mini";

import type { FailureVerdict } from "../../algorithms/common-options.ts";
import { DEFAULTS } from "../../limiter/settings.ts";
import { type Duration, parseDuration } from "../../options/duration.ts";
import type { Faults } from "../../options/faults.ts";
import type { ClientIp } from "../../partition/client-ip.ts";
import { checkVerdict } from "../../policy/traits.ts";
import type { Environment } from "../../runtime/environment.ts";
import type { DialectName } from "../../store/redis/dialect.ts";
import type { Origin } from "../proxy/origin.ts";
import { ownAddress } from "../proxy/own-address.ts";
import { check } from "../rules/check-shape.ts";
import { wordOrJson } from "../rules/from-json.ts";
import { VARIABLES } from "./variable-shapes.ts";

/** The store that counts. */
export type StoreName = "redis" | "durable-object" | "memory";

/** The checked variables besides the rules. After a fault a variable has its default, so that the others can be checked. */
export interface Variables {
  readonly origin: string;
  readonly originTimeout: Duration | "off";
  /** The treatment of a request that the gateway fails to handle. */
  readonly onError: "refuse" | "pass";
  readonly store: StoreName;
  readonly prefix: string;
  /** The dialect of Redis's scripts; `undefined` to derive it from the address. */
  readonly dialect: DialectName | undefined;
  readonly timeout: Duration | undefined;
  readonly onFailure: FailureVerdict;
  /** The reach of shared denials; `undefined` shares them in the data centre if the platform has a cache there. */
  readonly shared: "colo" | "none" | undefined;
  /** How often live rules are read; `undefined` where the deployment decides. */
  readonly liveRefresh: Duration | "off" | undefined;
  /** The place of the control data; `undefined` for that of the counts, or for a Redis of its own. */
  readonly control: "redis" | "durable-object" | undefined;
  /** Whether the gateway is unwell without published rules. */
  readonly liveRules: "optional" | "required";
  /** Whether requests are counted; `undefined` where the deployment decides. */
  readonly metrics: "on" | "off" | undefined;
  readonly metricsFlush: Duration | undefined;
  readonly metricsIdentities: "hashed" | "plain";
  /** Whether the log names denied clients. */
  readonly denialLog: "on" | "off";
  /** The treatment of a path that some origin may read so that other rules match. */
  readonly ambiguousPaths: "refuse" | "pass";
  /** The only host of the administration; `"any"` for every host, `undefined` if nobody has chosen. */
  readonly adminHost: string | undefined;
}

/** Checks the variables besides the rules; adds every fault under the variable's name. */
export function readVariables(environment: Environment, faults: Faults): Variables {
  const read = <Schema extends z.ZodMiniType>(schema: Schema, name: keyof typeof VARIABLES) =>
    check(schema, environment[name], name, faults);
  return {
    origin: read(VARIABLES.ORIGIN, "ORIGIN") ?? "",
    originTimeout: (read(VARIABLES.ORIGIN_TIMEOUT, "ORIGIN_TIMEOUT") ?? "off") as Duration | "off",
    onError: read(VARIABLES.ON_ERROR, "ON_ERROR") ?? "refuse",
    store: read(VARIABLES.STORE, "STORE") ?? "redis",
    prefix: read(VARIABLES.PREFIX, "PREFIX") ?? DEFAULTS.prefix,
    dialect: read(VARIABLES.REDIS_DIALECT, "REDIS_DIALECT"),
    timeout: read(VARIABLES.TIMEOUT, "TIMEOUT") as Duration | undefined,
    onFailure: readVerdict(environment["ON_FAILURE"], faults),
    shared: read(VARIABLES.SHARED_DENIALS, "SHARED_DENIALS"),
    liveRefresh: read(VARIABLES.LIVE_REFRESH, "LIVE_REFRESH") as Duration | "off" | undefined,
    control: read(VARIABLES.CONTROL, "CONTROL"),
    liveRules: read(VARIABLES.LIVE_RULES, "LIVE_RULES") ?? "optional",
    metrics: read(VARIABLES.METRICS, "METRICS"),
    metricsFlush: read(VARIABLES.METRICS_FLUSH, "METRICS_FLUSH") as Duration | undefined,
    metricsIdentities: read(VARIABLES.METRICS_IDENTITIES, "METRICS_IDENTITIES") ?? "hashed",
    denialLog: read(VARIABLES.DENIAL_LOG, "DENIAL_LOG") ?? "off",
    ambiguousPaths: read(VARIABLES.AMBIGUOUS_PATHS, "AMBIGUOUS_PATHS") ?? "refuse",
    adminHost: read(VARIABLES.ADMIN_HOST, "ADMIN_HOST") || undefined,
  };
}

function readVerdict(value: unknown, faults: Faults): FailureVerdict {
  if (value === undefined) return DEFAULTS.onFailure;
  const verdict = wordOrJson(value);
  const before = faults.list.length;
  checkVerdict(verdict, "ON_FAILURE", faults);
  return faults.list.length > before ? DEFAULTS.onFailure : (verdict as FailureVerdict);
}

/**
 * The origin of the variables.
 *
 * @param trusted the source that may tell it about clients
 */
export function originOf(
  { origin, originTimeout }: Variables,
  trusted: ClientIp | undefined,
): Origin {
  const url = origin === "zone" ? undefined : origin.replace(/\/+$/, "");
  return {
    url,
    timeoutMs: originTimeout === "off" ? undefined : parseDuration(originTimeout)! / 1000,
    trusted,
    address: url === undefined ? undefined : ownAddress(url),
  };
}

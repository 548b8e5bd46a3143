import { compileListener, type DecisionListener } from "../../features/decision-listener.ts";
import type { NoticeListener } from "../../features/notice-marks.ts";
import type { SharedCache, SharedDenials } from "../../features/shared-denials.ts";
import type { DenialLog } from "../../metrics/denial-log.ts";
import type { OpenRecorder } from "../../metrics/metrics.ts";
import type { PeriodicWriter } from "../../metrics/periodic-writes.ts";
import type { Recorder } from "../../metrics/recorder.ts";
import { type Duration, parseDuration } from "../../options/duration.ts";
import { Faults } from "../../options/faults.ts";
import { FUNCTION } from "../../options/messages.ts";
import { type ClientIp, detectPlatform } from "../../partition/client-ip.ts";
import type { Environment } from "../../runtime/environment.ts";
import type { ControlPlace } from "../../store/counts-place.ts";
import type { durableObjectRegion } from "../../store/durable-object-region.ts";
import type { durableObjectStore } from "../../store/durable-object-store.ts";
import { DEFAULT_TIMEOUT_MS } from "../../store/guarded-store.ts";
import { endpointIn } from "../../store/redis/endpoint.ts";
import type { Store } from "../../store/store.ts";
import type { Origin } from "../proxy/origin.ts";
import { ownAddress } from "../proxy/own-address.ts";
import type { Cors } from "../route/cors.ts";
import { readCors } from "../route/read-cors.ts";
import { wordOrJson } from "../rules/from-json.ts";
import {
  compileRuleset,
  type Ruleset,
  type RulesetData,
  type RulesetDefaults,
} from "../rules/ruleset.ts";
import { NO_LIVE_RULES, NO_SHARING } from "../rules/variable-messages.ts";
import { readLists, readPlans, readRules } from "./json-variables.ts";
import { reportMisspelt } from "./misspelt-variables.ts";
import type { Nearest } from "./nearest.ts";
import { type Notices, noticesTo } from "./notices.ts";
import { openControl } from "./open-control.ts";
import { countsPlace, openCounts } from "./open-counts.ts";
import { openDenialLog } from "./open-denial-log.ts";
import { analyticsIn, openRecorder } from "./open-recorder.ts";
import { readJwt } from "./read-jwt.ts";
import { inVariables, readRegion } from "./read-region.ts";
import { hasTokens, readTokens, type Tokens } from "./tokens.ts";
import { readVariables, type StoreName, type Variables } from "./variables.ts";
import { readWebhookSettings } from "./webhook-settings.ts";
import { createWebhook } from "./webhook.ts";

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

/** Soon enough in an incident, and rare enough to cost almost no calls. */
const DEFAULT_REFRESH: Duration = "10s";

/** The gateway's configuration, checked. */
export interface GatewayConfig {
  readonly origin: Origin;
  /** The treatment of a request that the gateway fails to handle. */
  readonly onError: "refuse" | "pass";
  /** The rules that are deployed, as data and compiled. */
  readonly deployed: RulesetData;
  readonly ruleset: Ruleset;
  readonly defaults: RulesetDefaults;
  readonly store: Store;
  /** The nearest of several stores nearby; `undefined` where there is no choice. */
  readonly nearest: Nearest | undefined;
  /** The place of live rules, drafts and the audit; `undefined` if there is none. */
  readonly control: ControlPlace | undefined;
  /** Whether the gateway is unwell while no published rules are in force. */
  readonly requiresLiveRules: boolean;
  /** How long a request waits for Redis, in milliseconds. */
  readonly timeoutMs: number;
  /** Counts requests; `undefined` if no reader could get the counts. */
  readonly recorder: Recorder | undefined;
  /** Logs denied clients; `undefined` if that is off. */
  readonly denialLog: DenialLog | undefined;
  /** The writers that run periodically. */
  readonly writers: readonly PeriodicWriter[];
  readonly listener: DecisionListener | undefined;
  /** `undefined` without receivers of notices. */
  readonly notices: Notices | undefined;
  readonly ambiguousPaths: "refuse" | "pass";
  /** The trusted source of the client's address. */
  readonly clientIp: ClientIp;
  /** `undefined` if the gateway leaves it to the origin. */
  readonly cors: Cors | undefined;
  readonly tokens: Tokens;
  /** The only host of the administration; `"any"` for every host, `undefined` if nobody has chosen. */
  readonly adminHost: string | undefined;
  /** How often live rules are read, in milliseconds; `undefined` for never. */
  readonly liveRefreshMs: number | undefined;
}

/**
 * Reads the gateway's configuration from a worker's variables.
 *
 * @throws ConfigurationError with every fault, each with its path in the variables
 */
export function readConfig(bindings: Environment, platform: PlatformParts): GatewayConfig {
  const environment = Object(bindings) as Environment;
  const faults = new Faults();
  reportMisspelt(environment, faults);
  const variables = readVariables(environment, faults);
  const { store, timeout, ambiguousPaths, prefix, onFailure } = variables;
  const tokens = readTokens(environment, faults);
  const timeoutMs = timeout ? parseDuration(timeout)! / 1000 : DEFAULT_TIMEOUT_MS;
  const place = countsPlace(variables, environment);
  const control = openControl(environment, variables, place, faults);
  const requiresLiveRules = variables.liveRules === "required";
  const liveRefreshMs = control && refreshMs(variables, tokens);
  if (requiresLiveRules && liveRefreshMs === undefined) {
    faults.add("LIVE_RULES", "required", NO_LIVE_RULES);
  }
  const recorder = openRecorder(
    variables,
    {
      create: platform.metrics,
      place,
      timeoutMs,
      tokens,
      analytics: analyticsIn(environment),
    },
    faults,
  );
  const denialLog = openDenialLog(variables);
  const listener = compileListener(platform.onDecision, faults);
  if (platform.onNotice !== undefined && typeof platform.onNotice !== "function") {
    faults.add("onNotice", platform.onNotice, FUNCTION, "takes a decision and a policy");
  }
  const webhook = readWebhookSettings(environment, faults);
  const notices = noticesTo({
    webhook: webhook && createWebhook(webhook),
    recorder,
    listener: platform.onNotice,
    identities: variables.metricsIdentities,
  });
  const region = readRegion(environment, variables, faults);
  const defaults = {
    prefix,
    onFailure,
    region: region?.options,
    clientIp: environment["CLIENT_IP"],
    tokenReader: readJwt(environment, faults),
    // A region knows its denials itself.
    sharedDenials: region
      ? undefined
      : readSharing(variables.shared, environment, store, platform, faults),
  };
  const deployed = {
    rules: readRules(environment["RULES"], faults),
    plans: readPlans(environment["PLANS"], faults),
    lists: readLists(environment["LISTS"], faults),
    overrides: undefined,
  };
  const cors = readCors(environment["CORS"], faults);
  const ruleset = compileRuleset(deployed, defaults, inVariables(faults));
  const opened = openCounts(
    variables,
    environment,
    {
      openObjects: platform.durableObjectStore,
      openNearbyObjects: platform.durableObjectRegion,
      meter: recorder?.meter,
      nearby: region?.nearby,
    },
    faults,
  );
  faults.throwIfAny();
  // Checked with the rules.
  const clientIp = wordOrJson(defaults.clientIp) as ClientIp | undefined;
  return {
    origin: originOf(variables, clientIp ?? detectPlatform()),
    onError: variables.onError,
    deployed,
    ruleset: ruleset!,
    defaults,
    store: recorder ? recorder.meter.measured(opened!) : opened!,
    nearest: region?.nearby.nearest,
    control,
    requiresLiveRules,
    timeoutMs,
    recorder,
    denialLog,
    writers: [recorder, denialLog].filter((writer) => writer !== undefined),
    listener,
    notices,
    ambiguousPaths,
    clientIp: clientIp ?? detectPlatform() ?? { trustedHops: 1 },
    cors,
    tokens,
    adminHost: variables.adminHost,
    liveRefreshMs,
  };
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

/** Live rules cost commands of Redis, so they are read where they are asked for, or where something can write them. */
function refreshMs(
  { liveRefresh: refresh, liveRules }: Variables,
  tokens: Tokens,
): number | undefined {
  if (refresh === "off") return undefined;
  const isAskedFor = refresh !== undefined || liveRules === "required";
  if (!isAskedFor && !hasTokens(tokens)) return undefined;
  return parseDuration(refresh ?? DEFAULT_REFRESH)! / 1000;
}

/** Denials are shared wherever the platform can, unless `SHARED_DENIALS` is `"none"`. */
function readSharing(
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

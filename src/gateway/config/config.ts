import { compileListener, type DecisionListener } from "../../features/decision-listener.ts";
import type { DenialLog } from "../../metrics/denial-log.ts";
import type { PeriodicWriter } from "../../metrics/periodic-writes.ts";
import type { Recorder } from "../../metrics/recorder.ts";
import { type Duration, parseDuration } from "../../options/duration.ts";
import { Faults } from "../../options/faults.ts";
import { FUNCTION } from "../../options/messages.ts";
import { type ClientIp, detectPlatform } from "../../partition/client-ip.ts";
import type { Environment } from "../../runtime/environment.ts";
import type { ControlPlace } from "../../store/counts-place.ts";
import { DEFAULT_TIMEOUT_MS } from "../../store/guarded-store.ts";
import type { Store } from "../../store/store.ts";
import type { Origin } from "../proxy/origin.ts";
import type { Cors } from "../route/cors.ts";
import { readCors } from "../route/read-cors.ts";
import { wordOrJson } from "../rules/from-json.ts";
import {
  compileRuleset,
  type Ruleset,
  type RulesetData,
  type RulesetDefaults,
} from "../rules/ruleset.ts";
import { NO_LIVE_RULES } from "../rules/variable-messages.ts";
import { readLists, readPlans, readRules } from "./json-variables.ts";
import { reportMisspelt } from "./misspelt-variables.ts";
import type { Nearest } from "./nearest.ts";
import { type Notices, noticesTo } from "./notices.ts";
import { openControl } from "./open-control.ts";
import { countsPlace, openCounts } from "./open-counts.ts";
import { analyticsIn, openDenialLog, openRecorder } from "./open-recorder.ts";
import { type PlatformParts, readSharing } from "./platform-parts.ts";
import { readJwt } from "./read-jwt.ts";
import { inVariables, readRegion } from "./read-region.ts";
import { hasTokens, readTokens, type Tokens } from "./tokens.ts";
import { originOf, readVariables, type Variables } from "./variables.ts";
import { readWebhookSettings } from "./webhook-settings.ts";
import { createWebhook } from "./webhook.ts";

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

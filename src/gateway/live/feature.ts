import { lists } from "../../features/lists/feature.ts";
import { plans } from "../../features/plans/feature.ts";
import type { Refresh } from "../../live/refresh.ts";
import { report } from "../../runtime/log.ts";
import type { GatewayConfig, PlatformParts } from "../config/config.ts";
import { compileOverrides } from "../rules/overrides.ts";
import { createEnforcement, type LiveEnforcement } from "./enforcement.ts";
import { followLive } from "./follow.ts";

/** The rules in force, and what keeps them near those in Redis. */
export interface LiveRules {
  readonly enforcement: LiveEnforcement;
  /** `undefined` where no live rules are read. */
  readonly refresh: Refresh | undefined;
}

function open(config: GatewayConfig, platform: PlatformParts): LiveRules {
  const enforcement = createEnforcement(config, report);
  return { enforcement, refresh: followLive(config, platform, enforcement) };
}

/**
 * Rules that change while the gateway runs, with overrides and entries of lists by single calls. An override's numbers
 * are a plan, and a blocked client is on a list, so that the gateway has these features, too.
 */
export const live = { open, compileOverrides, with: { lists, plans } };

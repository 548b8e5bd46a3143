import { report } from "../../runtime/log.ts";
import type { GatewayConfig, PlatformParts } from "../config/config.ts";
import type { ControlInspection } from "./control-facts.ts";
import { createEnforcement, type LiveEnforcement } from "./enforcement.ts";
import { followLive } from "./follow.ts";
import type { Refresh } from "./refresh.ts";

/** The rules in force, and what keeps them near those in Redis. */
export interface LiveRules {
  readonly enforcement: LiveEnforcement;
  /** `undefined` where no live rules are read. */
  readonly refresh: Refresh | undefined;
  /** `undefined` where there is no control store. */
  readonly inspection: ControlInspection | undefined;
}

/** Opens the rules of a gateway, which change while it runs where something changes them. */
export function openLive(config: GatewayConfig, platform: PlatformParts): LiveRules {
  const enforcement = createEnforcement(config, report);
  const { refresh, inspection } = followLive(config, platform, enforcement) ?? {};
  return { enforcement, refresh, inspection };
}

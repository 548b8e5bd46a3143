import { report } from "../../runtime/log.ts";
import type { GatewayConfig } from "../config/config.ts";
import type { PlatformParts } from "../config/platform-parts.ts";
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
  /** Adds this isolate's decisions to those of a version that is tried. */
  readonly countTrial: () => Promise<void>;
}

/** Opens the rules of a gateway, which change while it runs where something changes them. */
export function openLive(config: GatewayConfig, platform: PlatformParts): LiveRules {
  const enforcement = createEnforcement(config, report);
  const follower = followLive(config, platform, enforcement);
  const { refresh, inspection, countTrial = async () => {} } = follower ?? {};
  return { enforcement, refresh, inspection, countTrial };
}

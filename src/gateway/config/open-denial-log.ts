import { createDenialLog, type DenialLog } from "../../metrics/denial-log.ts";
import { logLine } from "../../runtime/log.ts";
import type { Variables } from "./variables.ts";

/** Opens what logs who is denied; `undefined` where it is off. */
export function openDenialLog({ denialLog, metricsIdentities }: Variables): DenialLog | undefined {
  if (denialLog === "off") return undefined;
  return createDenialLog({
    identities: metricsIdentities,
    wallNow: () => Date.now(),
    write: logLine,
  });
}

import { createDenialLog, type DenialLog } from "../../metrics/denial-log.ts";
import { logLine } from "../../runtime/log.ts";
import type { Variables } from "./variables.ts";

/** Opens the log of denied clients; `undefined` if it is off. */
export function openDenialLog({ denialLog, metricsIdentities }: Variables): DenialLog | undefined {
  if (denialLog === "off") return undefined;
  return createDenialLog({
    identities: metricsIdentities,
    wallNow: () => Date.now(),
    write: logLine,
  });
}

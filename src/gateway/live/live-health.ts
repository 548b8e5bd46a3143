import type { LiveRules } from "./open-live.ts";

/** Why a gateway whose store decides is unwell all the same. */
export interface GatewayFault {
  readonly code:
    | "rules-missing"
    | "rules-not-in-force"
    | "rules-not-read"
    | "rules-restored"
    | "keys-unread"
    | "region-gone";
  /** For whoever asks, without a token: it says nothing of the rules. */
  readonly detail: string;
  /** Whether load balancers and monitors are told so by the status, too. */
  readonly isFatal: boolean;
}

const NOT_IN_FORCE: GatewayFault = {
  code: "rules-not-in-force",
  detail:
    "The published rules are not in force: GET /_tidegate/api/v1/health says which are, and why.",
  isFatal: false,
};

const NOT_READ: GatewayFault = {
  code: "rules-not-read",
  detail:
    "The live rules could not be read: those of the last read stay in force, and newer ones may be published. The next read ends this notice.",
  isFatal: false,
};

const MISSING: GatewayFault = {
  code: "rules-missing",
  detail:
    "No published rules are in force, and LIVE_RULES requires them: the deployed rules are enforced.",
  isFatal: true,
};

const LOST: GatewayFault = {
  code: "rules-restored",
  detail:
    "The control store had lost live rules, which a gateway has put back: GET /_tidegate/api/v1/audit says which. The next publication ends this notice, or an hour.",
  isFatal: false,
};

/** @param isRequired whether the gateway must not do without published rules */
export function liveFault(
  { enforcement, refresh }: Pick<LiveRules, "enforcement" | "refresh">,
  isRequired: boolean,
): GatewayFault | undefined {
  if (isRequired && enforcement.now().version === 0) return MISSING;
  if (enforcement.error() === undefined && refresh?.isUnread()) return NOT_READ;
  if ((enforcement.error() ?? refresh?.error()) !== undefined) return NOT_IN_FORCE;
  return refresh?.lostAtMs() === undefined ? undefined : LOST;
}

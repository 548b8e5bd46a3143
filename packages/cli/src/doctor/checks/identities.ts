import { isLoopback } from "../../connection.ts";
import type { Finding } from "../finding.ts";
import { type GatewayFacts, type HeaderProbe, quotasOf } from "../gather/gateway-facts.ts";
import { cacheOf } from "./limited-path.ts";

/**
 * The policies that count a client anew when it changes the field, and how many there are. Two other values must both
 * show the first value's start: after a pause, a bucket that counts them together may be full again for one of them.
 */
function freshPolicies({ same, others }: HeaderProbe): {
  readonly fresh: readonly string[];
  readonly all: number;
} {
  const [first, last, ...then] = [same[0]!, same.at(-1)!, ...others].map(quotasOf);
  const fresh = [...first!].flatMap(([name, start]) => {
    const isUsed = (last!.get(name) ?? start) < start;
    return isUsed && then.every((quotas) => (quotas.get(name) ?? -1) >= start) ? [name] : [];
  });
  return { fresh, all: first!.size };
}

export function checkIdentities(facts: GatewayFacts): Finding[] {
  if (facts.limited.some((answer) => cacheOf(answer) !== undefined)) return [];
  return facts.headers.flatMap((probe) => {
    const { fresh, all } = freshPolicies(probe);
    if (fresh.length === 0) return [];
    const evidence = `a new ${probe.header} gets a new quota of ${fresh.join(", ")}`;
    return probe.isAddress
      ? address(probe.header, evidence, isLoopback(facts.url))
      : identity(fresh.length < all, evidence);
  });
}

/** On this machine nothing stands in front that would overwrite the field, as with `wrangler dev`. */
function address(header: string, evidence: string, isLocal: boolean): Finding {
  return {
    id: `address-spoofable:${header}`,
    severity: isLocal ? "note" : "error",
    title: "A client can choose its address",
    evidence,
    remedy: isLocal
      ? "On this machine nothing stands in front of the gateway: ask the deployed address, too."
      : "Set CLIENT_IP to what really stands in front, and let no request reach the gateway by another way.",
  };
}

function identity(isBounded: boolean, evidence: string): Finding {
  return {
    id: "identity-spoofable",
    severity: isBounded ? "note" : "warning",
    title: "A client can choose its identity",
    evidence,
    remedy: isBounded
      ? "Unless something in front sets the field, only the other policies bound such a client."
      : 'Unless something in front sets the field, add a policy with partition: ["ip"] and, say, ten times the numbers.',
  };
}

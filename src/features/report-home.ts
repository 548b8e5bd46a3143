import type { Faults } from "../options/faults.ts";
import { type HomeReason, whyHome } from "../options/home-reason.ts";
import { NO_REQUEST_FOR_REGION } from "../options/messages.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { reportOnce } from "../runtime/log.ts";

/** The option of a policy by which home has to see each request; `undefined` for none. */
export function homeOptionOf(policy: CompiledPolicy): string | undefined {
  const { mode, role, refundable, countsFailures, shards, leaseUs, optimistic } = policy;
  if (mode !== "enforce") return mode;
  if (countsFailures || role === "denials") return "counts";
  if (policy.implementation.hasSlots) return "slots";
  if (refundable) return "refundable";
  if (shards > 1) return "shards";
  if (leaseUs !== undefined) return "lease";
  return optimistic && "optimistic";
}

/** Says which policies a region does not decide, and why. It is a fault if these are all. */
export function reportHome(
  policies: readonly CompiledPolicy[],
  isDecided: (policy: CompiledPolicy) => boolean,
  region: string,
  faults: Faults,
): void {
  const atHome = policies.filter((policy) => !isDecided(policy));
  if (atHome.length === 0) return;
  const reasons = atHome.map((policy): HomeReason => {
    return { name: policy.name, option: homeOptionOf(policy) };
  });
  if (atHome.length === policies.length) {
    faults.add("region", region, NO_REQUEST_FOR_REGION, reasons);
    return;
  }
  // Policies without a dimension count every request.
  const isEach = atHome.some(({ by }) => by === undefined);
  const requests = isEach
    ? "any request, so that all wait for home"
    : "requests in which one of these policies takes part, so that they wait for home";
  reportOnce(`the region ${region} cannot decide ${requests}: ${whyHome(reasons)}.`);
}

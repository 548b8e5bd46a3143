import type { Estimate, WhatIf } from "../../api/answers.ts";
import { full, percent } from "../../parts/format.ts";

/** The outcome of the requests, which was counted. */
export function saidNow({ requests, deniedBefore }: WhatIf, minutes: number): string {
  const denied =
    deniedBefore === 0
      ? "none of them was denied"
      : `${full(deniedBefore)} of them were denied (${percent(deniedBefore, requests)})`;
  return `In the last ${minutes} minutes this policy was asked about ${full(requests)} requests, and ${denied}.`;
}

/** Their outcome under the other numbers. */
export function saidThen({ requests, deniedBefore, deniedAfter }: WhatIf): string {
  const { estimate, sampled } = deniedAfter;
  if (estimate === null) return sampledOnly(sampled);
  const more = estimate - deniedBefore;
  const change = more === 0 ? "as many as now" : `${full(Math.abs(more))} ${moreOrFewer(more)}`;
  return `With these numbers about ${full(estimate)} would have been denied (${percent(estimate, requests)}): ${change}.`;
}

function sampledOnly(sampled: number): string {
  return sampled === 0
    ? "Nobody in the sample would have been treated differently."
    : `In the sample ${full(Math.abs(sampled))} ${moreOrFewer(sampled)} would have been denied.`;
}

function moreOrFewer(more: number): string {
  return more > 0 ? "more" : "fewer";
}

/** How certain that is. */
export function saidCertainty(answer: WhatIf): string {
  const { oneIn, partitions, deniedAfter } = answer;
  const sample = `This is an estimate from ${full(partitions)} clients, 1 in ${oneIn} of all.`;
  return deniedAfter.estimate === null
    ? `${sample} Too few of them would be treated differently to say anything of the others.`
    : `${sample} In 19 cases out of 20 the true number ${lies(deniedAfter)}.`;
}

/** How many clients it is about. */
export function saidAffected({ partitionsAffected }: WhatIf): string {
  const { estimate, sampled } = partitionsAffected;
  if (estimate === null) {
    return `${full(sampled)} ${sampled === 1 ? "client" : "clients"} of the sample would have been treated differently.`;
  }
  return `About ${full(estimate)} clients would have been treated differently; in 19 cases out of 20 the true number ${lies(partitionsAffected)}.`;
}

/** The answer of a sample that has too few clients for an estimate. */
export function saidOfFew(answer: WhatIf): readonly string[] {
  const { partitions, deniedAfter, partitionsAffected, affectedShare } = answer;
  if (!affectedShare) return [];
  const [low, high] = [affectedShare.low, affectedShare.high].map((share) => percent(share, 1));
  const clients = `${full(partitions)} ${partitions === 1 ? "client" : "clients"}`;
  return [
    sampledOnly(deniedAfter.sampled),
    `${full(partitionsAffected.sampled)} of the ${clients} in the sample would have been treated differently. ` +
      `In 19 cases out of 20 that is between ${low} and ${high} of all clients.`,
  ];
}

function lies({ low, high }: Estimate): string {
  return low === high
    ? `is ${full(low ?? 0)}`
    : `lies between ${full(low ?? 0)} and ${full(high ?? 0)}`;
}

/** Why not to trust it too much; empty if there is no reason. */
export function doubts({ agreement, otherNumbers }: WhatIf): readonly string[] {
  const found: string[] = [];
  if (agreement !== null && agreement < 1) {
    found.push(
      `Replayed with the numbers of now, ${(100 * agreement).toFixed(1)} % of the sampled requests are decided as they were.`,
    );
  }
  if (otherNumbers > 0) {
    found.push(
      `${full(otherNumbers)} more of the sample, under other numbers such as those of a plan, ${otherNumbers === 1 ? "is" : "are"} left out.`,
    );
  }
  return found;
}

import type { Finding } from "../finding.ts";
import { quotasOf } from "../gather/gateway-facts.ts";
import type { PreviewFacts, UnreachablePreview } from "../gather/preview.ts";
import { cacheOf } from "./limited-path.ts";

/** Units by which two answers of a deployment may differ because of other clients, or of units that came back meanwhile. */
const NOISE = 4;

/** Whether units that a client takes in one deployment are missing in the other. */
export function checkPreview(facts: PreviewFacts | UnreachablePreview): Finding | undefined {
  const { url } = facts;
  if ("reason" in facts) {
    return {
      id: "preview-unreachable",
      severity: "error",
      title: "The preview does not answer, or the gateway stopped answering",
      evidence: `${url.origin}: ${facts.reason}`,
      remedy: "Check the address of --preview, and whether it asks visitors to sign in.",
    };
  }
  if (!isCounted(facts)) {
    return {
      id: "preview-unknown",
      severity: "note",
      title: "Nothing shows whether the preview shares counts with the gateway",
      evidence: `${url.origin}: the answers have no RateLimit fields of one policy, or come from a cache`,
      remedy: "Give a --path that rules of both cover.",
    };
  }
  const [shared] = sharedPolicies(facts);
  if (shared === undefined) return undefined;
  return {
    id: "preview-shares-counts",
    severity: "warning",
    title: "The preview and the gateway share counts",
    evidence: `after ${facts.requests} requests of a client to the gateway, ${shared.name} in ${url.origin} has ${shared.left}`,
    remedy:
      'They have one Redis and the same PREFIX, so they share live rules, lists and metrics, too. Give the preview a Redis, or a PREFIX of its own: PREFIX = "preview" below [env.preview.vars].',
  };
}

function isCounted({ before, client, after, there }: PreviewFacts): boolean {
  const answers = [before, client, ...after, ...there];
  if (answers.some((answer) => cacheOf(answer) !== undefined)) return false;
  const [first, ...others] = answers.map(quotasOf);
  return [...first!.keys()].some((name) => others.every((quotas) => quotas.has(name)));
}

/** The policies of the preview that count the client's requests to the gateway. */
function sharedPolicies({ before, client, after }: PreviewFacts) {
  const [own, ...later] = [client, ...after].map(quotasOf);
  return Array.from(quotasOf(before)).flatMap(([name, start]) => {
    const left = own!.get(name);
    const others = later.map((quotas) => quotas.get(name) ?? -1);
    if (left === undefined) return [];
    // By how much more it fell while the client asked the gateway than it falls with one request.
    const fell = start - left - (left - others[0]!);
    const isOnlyDenied = left === -1 && others.every((each) => each >= start);
    if (fell < NOISE && !isOnlyDenied) return [];
    const shown = left === -1 ? "nothing left for it" : `${left} left for it`;
    return [{ name, left: `${shown}, where a client before had ${start}` }];
  });
}

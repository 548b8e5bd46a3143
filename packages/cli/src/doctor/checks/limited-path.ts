import type { Finding } from "../finding.ts";
import { type GatewayFacts, quotasOf } from "../gather/gateway-facts.ts";
import type { HttpAnswer } from "../gather/http.ts";

export function isLimited({ limited }: GatewayFacts): boolean {
  return limited.some((answer) => quotasOf(answer).size > 0);
}

export function checkFields(facts: GatewayFacts): Finding | undefined {
  if (isLimited(facts)) return undefined;
  return {
    id: "no-ratelimit-fields",
    severity: "warning",
    title: "The path shows no limit",
    evidence: `GET ${facts.path} answers ${facts.limited[0]?.status} without RateLimit and X-RateLimit-Remaining`,
    remedy:
      "If no rule covers GET of it, name a limited path with --path. Else something in front removes the fields, or passes the gateway by.",
  };
}

/** Whether a cache answered: it says so, by one of the fields that caches use. */
export function cacheOf({ fields }: HttpAnswer): string | undefined {
  const age = fields.get("age");
  if (age !== undefined && Number(age) > 0) return `Age: ${age}`;
  for (const name of ["cf-cache-status", "x-cache", "x-vercel-cache"]) {
    const value = fields.get(name);
    if (value !== undefined && /^(?:hit|stale|updating|tcp_hit)\b/i.test(value)) {
      return `${name}: ${value}`;
    }
  }
  return undefined;
}

export function checkCache(facts: GatewayFacts): Finding | undefined {
  const cached = facts.limited.map(cacheOf).find((text) => text !== undefined);
  if (cached !== undefined) {
    const [first, second] = facts.limited.map(({ fields }) => fields.get("ratelimit"));
    const same = first !== undefined && first === second ? ", and two answers say the same" : "";
    return {
      id: "cache-answers",
      severity: "error",
      title: "A cache in front answers requests of the limited path",
      evidence: `GET ${facts.path} answers with ${cached}${same}`,
      remedy:
        "Such requests are not counted, and clients read fields of somebody else. Exclude the path from the cache, or put the cache behind the gateway.",
    };
  }
  const control = facts.limited[0]?.fields.get("cache-control");
  if (!isLimited(facts) || control === undefined || !isShared(control)) return undefined;
  return {
    id: "cacheable",
    severity: "note",
    title: "Caches may keep answers of the limited path",
    evidence: `Cache-Control: ${control}`,
    remedy:
      "A shared cache that keeps such an answer keeps its RateLimit fields too. Where a cache stands in front, have the origin answer private or no-store.",
  };
}

function isShared(control: string): boolean {
  if (/\b(?:private|no-store|no-cache)\b/i.test(control)) return false;
  return /\bpublic\b|\bs-maxage=[1-9]/i.test(control);
}

export function checkRetryAfter(facts: GatewayFacts): Finding | undefined {
  const answers = [
    ...facts.limited,
    ...facts.headers.flatMap(({ same, others }) => [...same, ...others]),
  ];
  const bare = answers.find(({ status, fields }) => status === 429 && !fields.has("retry-after"));
  if (bare === undefined) return undefined;
  return {
    id: "no-retry-after",
    severity: "warning",
    title: "A denial does not say when to come back",
    evidence: `GET ${facts.path} answers 429 without Retry-After`,
    remedy:
      "The gateway sends it with each denial: something in front removes it, or sends this 429 itself.",
  };
}

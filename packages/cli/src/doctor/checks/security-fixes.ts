import type { Finding } from "../finding.ts";
import type { RedisFacts } from "../gather/redis-facts.ts";
import {
  type Engine,
  LAST_COMPARED,
  MENDED_UNDER_ITS_NUMBER,
  SECURITY_FIXES,
  type SecurityFix,
} from "../security-fixes.ts";

type Version = readonly [major: number, minor: number, patch: number];

const NAMES = { redis: "Redis", valkey: "Valkey" } as const;

/** The security fixes that a server lacks, and the version that shows it. */
export type SecurityState =
  | { readonly by: "nothing" }
  /** Its number says that it lacks some, and distributions mend that one without a new number. */
  | { readonly by: "distribution" }
  | { readonly by: "number"; readonly missing: readonly SecurityFix[]; readonly server: Server };

interface Server {
  readonly engine: Engine;
  readonly version: string;
}

export function securityState({ info, scriptsLocked }: RedisFacts): SecurityState {
  const server = serverOf(info);
  if (server === undefined) return { by: "nothing" };
  const { engine, version } = server;
  if (scriptsLocked !== false && MENDED_UNDER_ITS_NUMBER[engine].includes(version)) {
    return { by: "distribution" };
  }
  const missing = SECURITY_FIXES[engine].filter((fix) => lacks(parse(version), fix));
  return { by: "number", missing, server };
}

/** `undefined` for another server that speaks the protocol, and for a service that mends its servers itself. */
function serverOf(info: RedisFacts["info"]): Server | undefined {
  if (info === undefined || info.get("os")?.startsWith("Amazon ")) return undefined;
  const versions = [...info.keys()].filter((name) => name.endsWith("_version"));
  const known = new Set(["redis_version", "valkey_version", "gcc_version"]);
  if (versions.some((name) => !known.has(name))) return undefined;
  const valkey = info.get("valkey_version");
  const version = valkey ?? info.get("redis_version");
  if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version)) return undefined;
  return { engine: valkey === undefined ? "redis" : "valkey", version };
}

function lacks(version: Version, { releases, since }: SecurityFix): boolean {
  if (since !== undefined && compareLines(version, parse(since)) < 0) return false;
  const fixed = releaseOfLine(version, releases);
  if (fixed !== undefined) return version[2] < fixed[2];
  return releases.some((release) => compareLines(parse(release), version) > 0);
}

function releaseOfLine(version: Version, releases: readonly string[]): Version | undefined {
  return releases.map(parse).find((release) => compareLines(release, version) === 0);
}

function parse(version: string): Version {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return [major, minor, patch];
}

function compareLines(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1];
}

/** The oldest release, of this line or a newer one, that has all fixes. */
function releaseWithAll({ engine, version }: Server): string {
  const own = parse(version);
  const candidates = SECURITY_FIXES[engine]
    .flatMap(({ releases }) => releases)
    .filter((release) => compareLines(parse(release), own) >= 0)
    .filter((release) => !SECURITY_FIXES[engine].some((fix) => lacks(parse(release), fix)))
    .toSorted((a, b) => compareLines(parse(a), parse(b)));
  return candidates[0]!;
}

export function checkSecurityFixes(facts: RedisFacts): Finding | undefined {
  const state = securityState(facts);
  if (state.by !== "number" || state.missing.length === 0) return undefined;
  const { server, missing } = state;
  const name = NAMES[server.engine];
  return {
    id: "redis-vulnerable",
    severity: "warning",
    title: `This version of ${name} has known security faults`,
    evidence: `it is ${name} ${server.version}; by the releases until ${LAST_COMPARED} it has ${missing.flatMap(({ cves }) => cves).join(", ")}`,
    remedy: `Install ${name} ${releaseWithAll(server)} or later. Until then let only the limiter's user log in (docs/redis.md has its rights), from no other network. If your distribution mends it under this number, compare its advisories.`,
  };
}

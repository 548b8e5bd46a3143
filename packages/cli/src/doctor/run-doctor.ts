import { MAX_POLICIES } from "../../../../src/policy/compile.ts";
import type { Report } from "./finding.ts";
import type { CountedRule } from "./gather/commands.ts";
import { type Connection, directConnection, restConnection } from "./gather/connection.ts";
import { gatherGateway } from "./gather/gateway.ts";
import { gatherPreview } from "./gather/preview.ts";
import type { RedisFacts, UnreachableRedis } from "./gather/redis-facts.ts";
import { type GatherOptions, gatherRedis } from "./gather/redis.ts";
import { judge } from "./judge.ts";
import { keyspaceBytes } from "./memory-formula.ts";
import { observe } from "./observe.ts";
import type { DoctorOptions } from "./options.ts";

/** Gathers facts about a deployment and judges them. A server that cannot be reached is a finding, not an exception. */
export async function runDoctor(options: DoctorOptions): Promise<Report> {
  const {
    url,
    token,
    adminUrl,
    preview,
    path = "/",
    method,
    identityHeader = "x-user-id",
    timeoutMs = 250,
  } = options;
  const now = Date.now;
  // Before the gateway is asked, which may count in this very Redis.
  const redis = await lookAtRedis(options, now);
  const common = { path, identityHeader, now };
  const own = { token, ...(adminUrl !== undefined && { adminUrl: new URL(adminUrl) }) };
  const gateway =
    url === undefined
      ? undefined
      : await gatherGateway({ url: new URL(url), method, ...own, ...common });
  const apart =
    gateway === undefined || "reason" in gateway || preview === undefined
      ? undefined
      : await gatherPreview({ gateway: gateway.url, preview: new URL(preview), ...common });
  const expected = { timeoutMs, keyspaceBytes: expectedBytes(options) };
  const { faults, variables, environments, leases } = options;
  const region = await lookAtRegion(options, now);
  const facts = { gateway, preview: apart, redis, region, faults, variables, environments, leases };
  return { findings: judge(facts, expected), observations: observe(facts, expected) };
}

function expectedBytes(options: DoctorOptions): number | undefined {
  const { partitions, policies = 1, algorithm = "sliding-window-counter", limit = 100 } = options;
  if (partitions === undefined) return undefined;
  return keyspaceBytes({ partitions, policies, algorithm, limit });
}

/** As many policies as are given decide together; `concurrency` counts holds, whose commands are their own. */
function countedRules({
  rules,
  policies = 1,
  algorithm = "sliding-window-counter",
}: DoctorOptions): readonly CountedRule[] {
  if (rules) return rules;
  if (algorithm === "concurrency" || policies > MAX_POLICIES) return [];
  const name = policies === 1 ? "a decision" : `${policies} policies`;
  return [{ name, algorithms: Array.from({ length: policies }, () => algorithm) }];
}

async function lookAtRedis(
  options: DoctorOptions,
  now: () => number,
): Promise<RedisFacts | UnreachableRedis | undefined> {
  const { rest, redisUrl } = options;
  const common = commonOf(options, now, countedRules(options));
  if (rest) {
    // The limiter's way to Redis counts: the other one may be closed.
    const other = redisUrl ? await directConnection(redisUrl).catch(() => undefined) : undefined;
    return lookOver(rest, common, other).finally(() => other?.close());
  }
  return redisUrl === undefined ? undefined : lookDirectly(redisUrl, common);
}

/** The options of home and region alike. */
type Common = Omit<GatherOptions, "through" | "address">;

function commonOf(
  { prefix = "tg", pings = 50 }: DoctorOptions,
  now: () => number,
  rules: Common["rules"],
): Common {
  return { prefix, pings, now, rules };
}

async function lookAtRegion(
  options: DoctorOptions,
  now: () => number,
): Promise<RedisFacts | UnreachableRedis | undefined> {
  if (options.region === undefined) return undefined;
  const { url, token } = options.region;
  const common = commonOf(options, now, []);
  return token === undefined ? lookDirectly(url, common) : lookOver({ url, token }, common);
}

function lookOver(
  rest: NonNullable<DoctorOptions["rest"]>,
  common: Common,
  other?: Connection,
): Promise<RedisFacts | UnreachableRedis> {
  const about = { ...common, through: "rest", address: new URL(rest.url) } as const;
  return gatherRedis({ main: restConnection(rest), other }, about);
}

async function lookDirectly(
  redisUrl: string,
  common: Common,
): Promise<RedisFacts | UnreachableRedis> {
  const about = { ...common, through: "redis", address: new URL(redisUrl) } as const;
  let main: Connection;
  try {
    main = await directConnection(redisUrl);
  } catch (error) {
    return { ...about, reason: (error as Error).message };
  }
  return gatherRedis({ main }, about).finally(() => main.close());
}

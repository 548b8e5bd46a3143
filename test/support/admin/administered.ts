import type { Administered, Enforced } from "../../../src/admin/administered.ts";
import { HEADER_IDENTITIES } from "../../../src/features/lists/header-identities.ts";
import { compileLists } from "../../../src/features/lists/lists.ts";
import { readConfig } from "../../../src/gateway/config/config.ts";
import type { Fault } from "../../../src/options/errors.ts";
import { ConfigurationError } from "../../../src/options/errors.ts";
import { Faults } from "../../../src/options/faults.ts";
import { isRecord } from "../../../src/options/record.ts";
import { openMemoryStore } from "../../../src/store/memory-store.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { metricsReaderOf } from "../metrics/metrics-reader-of.ts";
import { EVERY_PART } from "../store/every-part.ts";

export const ADMIN_TOKEN = "admin-token-of-this-test-1";
export const READ_TOKEN = "read-token-of-this-test-12";

/** The deployed rules of every gateway here. */
export const DEPLOYED = { rules: [ruleOf(100)] };

export function ruleOf(limit: number, path = "/rides"): object {
  return {
    path,
    policies: [{ algorithm: "fixed-window", name: "rides", limit, window: "1m" }],
    partition: ["header:x-user-id"],
  };
}

/** A document with one rule of this limit. */
export function documentOf(limit: number): { readonly rules: readonly object[] } {
  return { rules: [ruleOf(limit)] };
}

let created = 0;

/** A gateway as its administration sees it, with keys of its own in this Redis. It enforces no rules. */
export function administered(
  redis: { readonly url: string; readonly token: string } | undefined,
  more: Partial<Administered> = {},
): Administered {
  const enforced: Enforced = {
    version: 0,
    revision: 0,
    source: "deployed",
    published: undefined,
    ageMs: undefined,
  };
  const faults = new Faults();
  const store = redis
    ? openStore({ redis, timeout: "10s" }, EVERY_PART, {}, faults)!
    : openMemoryStore();
  faults.throwIfAny();
  const prefix = `admin-${process.pid}-${Date.now()}-${++created}`;
  return {
    prefix,
    control: redis && { kind: "redis", redis, isOwn: false },
    store,
    adminToken: ADMIN_TOKEN,
    readToken: READ_TOKEN,
    namedTokens: new Map(),
    deployed: DEPLOYED,
    checkDocument,
    leftOutBy: () => 0,
    renamedBy: () => [],
    isLeftOut: () => false,
    checkEntry,
    enforced: () => enforced,
    fault: () => undefined,
    controlInspection: undefined,
    tokenReader: undefined,
    held: () => ({
      version: 0,
      source: "deployed",
      document: DEPLOYED,
    }),
    policyNames: () => [["rides"]],
    refresh: async () => {},
    metrics: redis && {
      reader: metricsReaderOf(redis, prefix),
      flush: async () => {},
      flushMs: 60_000,
      nameOf: async (identity) => identity,
    },
    counted: async () => [
      { policy: "rides", identity: "x-user-id:hash", partition: "x-user-id:42" },
    ],
    gauges: async () => ({
      policies: [],
      isBreakerOpen: false,
      isPublished: true,
      isRestored: false,
      ahead: [],
      version: 0,
    }),
    onFailure: () => ({ local: 1, open: 0, closed: 0 }),
    explain: async ({ path, method = "GET" }) => ({
      verdict: "passed",
      status: 200,
      reason: `No rule covers ${method} ${path}.`,
      version: 0,
      rules: [],
    }),
    resetDigest: async (policy, digest) => [{ policy, partition: digest }],
    reset: async () => [{ policy: "rides", partition: "x-user-id:42" }],
    clientAddress: (request) => request.headers.get("cf-connecting-ip") ?? undefined,
    ...more,
  };
}

function checkDocument(document: unknown): readonly Fault[] {
  const { rules, plans, lists } = document as Record<string, unknown>;
  try {
    readConfig(
      {
        ORIGIN: "https://origin.example.com",
        STORE: "memory",
        CLIENT_IP: "cloudflare",
        RULES: rules,
        ...(plans !== undefined && { PLANS: plans }),
        ...(lists !== undefined && { LISTS: lists }),
      },
      {},
    );
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ path, code, value, remedy }) => ({
      path: path.replace("RULES", "rules"),
      code,
      value,
      remedy,
    }));
  }
}

function checkEntry(kind: string, entry: unknown): readonly Fault[] {
  const faults = new Faults();
  if (kind === "override") {
    const { identity, plan, policies } = Object(entry) as Record<string, unknown>;
    if (typeof identity !== "string")
      faults.add("identity", identity, { code: "shape", say: "Give an identity." });
    if (typeof plan !== "string" && !isRecord(policies))
      faults.add("plan", plan, { code: "shape", say: "Give a plan." });
    return faults.list;
  }
  compileLists({ deny: [entry] }, "lists", faults, HEADER_IDENTITIES);
  return faults.list.map(({ path, code, value, remedy }) => ({
    path: path.replace(/^lists\.deny\[0\]\.?/, ""),
    code,
    value,
    remedy,
  }));
}

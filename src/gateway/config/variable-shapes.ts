import * as z from "zod/mini";

import { DEFAULTS, PREFIX } from "../../limiter/settings.ts";
import type { DurationRange } from "../../options/duration.ts";
import { DURATION, PREFIX as PREFIX_FAULT } from "../../options/messages.ts";
import { onWorkers } from "../../runtime/environment.ts";
import { TIMEOUT_RANGE } from "../../store/guarded-store.ts";
import { parseHost } from "../route/admin-host.ts";
import { duration, Lists, OnFailure, Plans, Rules } from "../rules/schema.ts";
import { RegionStores } from "./region-shape.ts";

const Origin = z
  .string('Give the origin\'s address, or "zone" to pass requests on within the zone.')
  .check(
    z.maxLength(2_048, "Give an address of at most 2,048 characters."),
    z.refine(
      isOrigin,
      'Give an address without credentials or query, such as "https://origin.example.com", or "zone".',
    ),
    z.refine(
      (origin) => origin !== "zone" || onWorkers(),
      "Give an address: zones are Cloudflare's, here requests would come back for ever.",
    ),
  );

/** Zod reports a text by the fault of `duration()`, and another value by that of the union: both get this sentence. */
function durationOrOff(range: DurationRange, meaning: string) {
  const remedy = `${DURATION.say(range)} ${meaning}`;
  return z.union([z.literal("off"), duration(range, remedy)], remedy);
}

/** A request that waits for longer than an hour will get no answer. */
const ORIGIN_TIMEOUT_RANGE: DurationRange = { min: "10ms", max: "1h", example: "30s" };

const OriginTimeout = z._default(
  durationOrOff(ORIGIN_TIMEOUT_RANGE, '"off" waits for as long as it takes.'),
  "5m",
);

const OnError = z._default(
  z.enum(
    ["refuse", "pass"],
    'Use "refuse", or "pass" to let requests pass unlimited where the gateway fails.',
  ),
  "refuse",
);

const Counts = z._default(
  z.enum(["redis", "durable-object", "memory"], 'Use "redis", "durable-object" or "memory".'),
  "redis",
);

const Prefix = z._default(
  z.string(PREFIX_FAULT.say).check(z.regex(PREFIX, PREFIX_FAULT.say)),
  DEFAULTS.prefix,
);

const Shared = z.optional(
  z.enum(["colo", "none"], 'Use "colo" to share denials in a data centre, or "none".'),
);

const RedisDialect = z.optional(
  z.enum(
    ["upstash", "redis"],
    'Use "upstash" or "redis", or leave it out: the address of the Redis tells.',
  ),
);

const AmbiguousPaths = z._default(
  z.enum(
    ["refuse", "pass"],
    'Use "refuse", or "pass" to apply the rules of every reading of a path.',
  ),
  "refuse",
);

const ClientIp = z.union([
  z.enum(["cloudflare", "vercel", "socket"]),
  z.strictObject({ trustedHops: z.int().check(z.gte(1), z.lte(32)) }),
]);

/** Below a second, the calls to Redis cost more than they bring; ten minutes are a long time in an incident. */
const REFRESH_RANGE: DurationRange = { min: "1s", max: "10m", example: "10s" };

const LiveRefresh = durationOrOff(REFRESH_RANGE, '"off" never reads live rules.');

const Control = z.optional(
  z.enum(["redis", "durable-object"], 'Use "redis" or "durable-object", or leave it out.'),
);

const LiveRules = z._default(
  z.enum(
    ["optional", "required"],
    'Use "required" for a gateway that must not do without published rules, or "optional".',
  ),
  "optional",
);

const Metrics = z.enum(["on", "off"], 'Use "on" or "off".');

/** Below ten seconds more commands count than are counted; above ten minutes too much is lost with an isolate. */
const FLUSH_RANGE: DurationRange = { min: "10s", max: "10m", example: "1m" };

const MetricsIdentities = z._default(
  z.enum(
    ["hashed", "plain"],
    'Use "hashed", or "plain" to name addresses and where they are in metrics as they are.',
  ),
  "hashed",
);

const DenialLog = z._default(z.enum(["on", "off"], 'Use "on" or "off".'), "off");

const ADMIN_HOST_REMEDY =
  'Give a host of its own, such as "admin.example.com", with its port if it has one; or "any" to serve the administration on every host.';

/** Some platforms have an empty text for a variable that is not set. */
const AdminHost = z.optional(
  z
    .string(ADMIN_HOST_REMEDY)
    .check(z.refine((host) => host === "" || parseHost(host) !== undefined, ADMIN_HOST_REMEDY)),
);

const Token = z.optional(z.string());

/** A number, or its text where variables are text. The region checks it. */
const WholeNumber = z.optional(z.union([z.number(), z.string()]));

const RestUrl = z.optional(z.string());
const RestToken = z.optional(z.string());

/** Every variable that the gateway reads. Rules, lists, client IP, CORS, JWT, Redis and the region are checked where they are used. */
export const VARIABLES = {
  ORIGIN: Origin,
  ORIGIN_TIMEOUT: OriginTimeout,
  ON_ERROR: OnError,
  STORE: Counts,
  PREFIX: Prefix,
  REDIS_DIALECT: RedisDialect,
  TIMEOUT: z.optional(duration(TIMEOUT_RANGE)),
  ON_FAILURE: z._default(OnFailure, DEFAULTS.onFailure),
  CLIENT_IP: ClientIp,
  SHARED_DENIALS: Shared,
  LIVE_REFRESH: z.optional(LiveRefresh),
  LIVE_RULES: LiveRules,
  CONTROL: Control,
  CONTROL_REDIS_REST_URL: RestUrl,
  CONTROL_REDIS_REST_TOKEN: RestToken,
  REGION_REDIS_REST_URL: RestUrl,
  REGION_REDIS_REST_TOKEN: RestToken,
  REGION_STORES: z.optional(RegionStores),
  REGION_NAME: z.optional(z.string()),
  REGION_TERM: z.optional(z.string()),
  REGION_CREDIT: WholeNumber,
  REGIONS: WholeNumber,
  METRICS: z.optional(Metrics),
  METRICS_FLUSH: z.optional(duration(FLUSH_RANGE)),
  METRICS_IDENTITIES: MetricsIdentities,
  DENIAL_LOG: DenialLog,
  ADMIN_TOKEN: Token,
  READ_TOKEN: Token,
  ADMIN_TOKENS: z.optional(z.union([z.string(), z.record(z.string(), z.string())])),
  ADMIN_HOST: AdminHost,
  NOTICE_URL: Token,
  NOTICE_SECRET: Token,
  AMBIGUOUS_PATHS: AmbiguousPaths,
  CORS: z.optional(z.record(z.string(), z.unknown())),
  JWT: z.optional(z.record(z.string(), z.unknown())),
  JWT_SECRET: Token,
  RULES: Rules,
  PLANS: z.optional(Plans),
  LISTS: z.optional(Lists),
  UPSTASH_REDIS_REST_URL: RestUrl,
  UPSTASH_REDIS_REST_TOKEN: RestToken,
  KV_REST_API_URL: RestUrl,
  KV_REST_API_TOKEN: RestToken,
};

function isOrigin(origin: string): boolean {
  return (
    origin === "zone" ||
    (/^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/.test(origin) && URL.canParse(origin))
  );
}

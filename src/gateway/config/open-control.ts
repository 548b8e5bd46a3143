import type { Faults } from "../../options/faults.ts";
import { REDIS_VARIABLE } from "../../options/messages.ts";
import type { Environment } from "../../runtime/environment.ts";
import type { ControlPlace, CountsPlace } from "../../store/counts-place.ts";
import { DEFAULT_TIMEOUT_MS } from "../../store/guarded-store.ts";
import type { ObjectNamespace } from "../../store/object-call.ts";
import { createRedisClient } from "../../store/redis/endpoint.ts";
import { NO_OBJECT_BINDING, TWO_CONTROLS } from "../rules/variable-messages.ts";
import { BINDING } from "./open-counts.ts";
import type { Variables } from "./variables.ts";

const URL_NAME = "CONTROL_REDIS_REST_URL";
const TOKEN_NAME = "CONTROL_REDIS_REST_TOKEN";

/** Some platforms have an empty text for a variable that is not set. */
const isSet = (value: unknown) => value !== undefined && value !== "";

function openObjects(binding: unknown, isOwn: boolean, faults: Faults): ControlPlace | undefined {
  if (typeof binding !== "object" || binding === null) {
    // A binding that the counts use, too, is reported with them.
    if (isOwn) faults.add(BINDING, binding, NO_OBJECT_BINDING);
    return undefined;
  }
  return { kind: "durable-object", objects: binding as ObjectNamespace, isOwn };
}

/**
 * The place of the control data: a Redis of its own or Durable Objects, or else where the counts are; `undefined` where there is none.
 *
 * @param place where the counts are
 */
export function openControl(
  environment: Environment,
  { control, store }: Variables,
  place: CountsPlace | undefined,
  faults: Faults,
): ControlPlace | undefined {
  const { [URL_NAME]: url, [TOKEN_NAME]: token } = environment;
  const isGiven = isSet(url) || isSet(token);
  const kind = control ?? (store === "durable-object" && !isGiven ? store : "redis");
  if (kind === "durable-object") {
    if (isGiven) faults.add("CONTROL", kind, TWO_CONTROLS);
    return openObjects(environment[BINDING], store !== kind, faults);
  }
  const counts = place?.kind === "redis" ? place.redis : undefined;
  if (!isGiven) {
    if (control === "redis" && counts === undefined) faults.add(URL_NAME, url, REDIS_VARIABLE);
    return counts && { kind: "redis", redis: counts, isOwn: false };
  }
  const paths = { url: URL_NAME, token: TOKEN_NAME, areVariables: true };
  const settings = { timeoutMs: DEFAULT_TIMEOUT_MS };
  if (!createRedisClient(url, token, paths, settings, faults)) return undefined;
  const redis = { url: url as string, token: token as string };
  return { kind: "redis", redis, isOwn: redis.url !== counts?.url };
}

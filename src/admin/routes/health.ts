import { healthCheck } from "../../gateway/health.ts";
import { monotonicNow } from "../../runtime/time.ts";
import type { Administered } from "../administered.ts";
import { type AdminRoute, type Call, isoTime } from "../call.ts";
import type { Health } from "../health-answer.ts";

/** The public health of the gateway, and the version of its rules. */
export function healthRoutes(gateway: Administered): readonly AdminRoute[] {
  const check = healthCheck(
    gateway.store,
    gateway.prefix,
    monotonicNow,
    gateway.fault,
    gateway.controlInspection,
  );

  function enforced(): Health["live"] {
    const { restoredAtMs, ...live } = gateway.enforced();
    return restoredAtMs === undefined ? live : { ...live, restoredAt: isoTime(restoredAtMs) };
  }

  function keys(): Health["keys"] {
    if (!gateway.tokenReader) return undefined;
    const error = gateway.tokenReader.error();
    return error === undefined ? {} : { error };
  }

  async function health({ caller }: Call): Promise<Response> {
    const answer = await check();
    const { status, headers } = answer;
    const body = {
      ...((await answer.json()) as Omit<Health, "onFailure" | "live" | "keys" | "role">),
      onFailure: gateway.onFailure(),
      live: enforced(),
      keys: keys(),
      role: caller.role,
    } satisfies Health;
    return new Response(JSON.stringify(body), { status, headers });
  }

  return [{ method: "GET", path: "/health", writes: false, answer: health }];
}

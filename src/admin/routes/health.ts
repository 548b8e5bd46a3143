import type { Administered } from "../../gateway/administration/administered.ts";
import { healthCheck } from "../../gateway/health.ts";
import { monotonicNow } from "../../runtime/clock.ts";
import type { Health } from "../answers/health.ts";
import type { Route } from "../call.ts";

/** The public health of the gateway, and the version of its rules. */
export function healthRoutes(gateway: Administered): readonly Route[] {
  const check = healthCheck(
    gateway.store,
    gateway.prefix,
    monotonicNow,
    () => gateway.enforced().error,
  );

  async function health(): Promise<Response> {
    const answer = await check();
    const { status, headers } = answer;
    const body = {
      ...((await answer.json()) as Omit<Health, "onFailure" | "live">),
      onFailure: gateway.onFailure(),
      live: gateway.enforced(),
    } satisfies Health;
    return new Response(JSON.stringify(body), { status, headers });
  }

  return [{ method: "GET", path: "/health", writes: false, answer: health }];
}

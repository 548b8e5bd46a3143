import { EVERY_FEATURE } from "../features/every-feature.ts";
import type { Counter } from "../metrics/counter.ts";
import type { PeriodicWrites } from "../metrics/periodic-writes.ts";
import type { WaitUntil } from "../runtime/wait-until.ts";
import { compileAdmit } from "./admit.ts";
import type { GatewayConfig } from "./config/config.ts";
import type { Enforcement } from "./live/in-force.ts";
import type { Refresh } from "./live/refresh.ts";
import type { Forwarded } from "./proxy/origin.ts";
import { passOn } from "./proxy/proxy.ts";
import type { ReportOrigin } from "./proxy/report-origin.ts";
import { permitted } from "./route/cors.ts";

/** The parts that serve a request. */
export interface Served {
  readonly config: GatewayConfig;
  readonly enforcement: Enforcement;
  /** `undefined` where no live rules are read. */
  readonly refresh: Refresh | undefined;
  readonly writes: PeriodicWrites;
  /** Called where the origin gave no answer. */
  readonly reportOrigin: ReportOrigin;
}

/** Answers a request by the rules, or by the origin. */
export type Serve = (
  request: Request,
  client: { readonly connection: string | undefined; readonly bindings: unknown },
  waitUntil: WaitUntil,
) => Promise<Response>;

/** The path of a request through the gateway, from top to bottom. */
export function compileServe({
  config,
  enforcement,
  refresh,
  writes,
  reportOrigin,
}: Served): Serve {
  const admit = compileAdmit(config);

  async function forward(
    forwarded: Omit<Forwarded, "origin">,
    counter: Counter | undefined,
  ): Promise<Response> {
    const onFailure: ReportOrigin = (failure, error) => {
      counter?.unanswered(failure);
      reportOrigin(failure, error);
    };
    return passOn({ ...forwarded, origin: config.origin }, onFailure);
  }

  return async function serve(request, { connection, bindings }, waitUntil) {
    const waiting = refresh?.before(waitUntil);
    if (waiting) await waiting;
    writes.start(waitUntil);
    const current = enforcement.now();
    const inForce = current.sides ? await current.sides.of(request, connection) : current;
    const counter = config.recorder?.counterOf(inForce.ruleset.rules);

    const permission = config.cors && (await config.cors.permissionFor(request));
    const admission = await admit(inForce, request, connection, counter);
    if (admission.kind === "answered") return permitted(admission.response, permission);
    if (admission.kind === "preflight") return config.cors!.preflight(request);
    const { passes, ruleset } = inForce;
    const passed = { request, bindings, passes, isRead: ruleset.isRead, permission };
    if (admission.kind === "unlimited") return forward({ ...passed, decided: undefined }, counter);

    const { decision, rules } = admission;
    const failures = rules.flatMap(({ reader }) => reader.failures);
    const settlement = EVERY_FEATURE.holds.settlementOf(decision, failures, waitUntil);
    return forward({ ...passed, decided: { decision, settlement } }, counter);
  };
}

import { ConfigurationError, StoreError } from "../../options/errors.ts";
import { isRecord } from "../../options/record.ts";
import { HOUR_MS } from "../../store/metrics-store.ts";
import type { Administered, DescribedRequest } from "../administered.ts";
import { type AdminRoute, auditedAction, type Call, json, readSmallBody } from "../call.ts";
import { keptChanges } from "../changes.ts";
import type { Reset } from "../entry-answers.ts";
import type { Explanation } from "../explanation-answer.ts";
import { faulty, Refusal } from "../refusal.ts";
import { checked, RequestBody, ResetBody } from "../schemas.ts";
import { countsOf, type UpToDate } from "./counts.ts";
import { shown } from "./entries.ts";

/** Asks the gateway about the request that a body describes. */
export async function about<Answer>(
  body: unknown,
  ask: (request: DescribedRequest) => Promise<Answer>,
): Promise<Answer> {
  const request = checked(RequestBody, body) as DescribedRequest;
  try {
    return await ask(request);
  } catch (error) {
    throw error instanceof ConfigurationError ? faulty(error.faults) : error;
  }
}

async function explain(call: Call, upToDate: UpToDate | undefined): Promise<Response> {
  const { gateway } = call;
  const body = await readSmallBody(call);
  const found = await about(body, (request) => gateway.explain(request));
  const explanation = (
    found.entries ? { ...found, entries: found.entries.map(shown) } : found
  ) satisfies Explanation;
  if (!upToDate || explanation.rules.length === 0) return json(explanation);
  // Why a request is denied is worth saying without the counts, too.
  const denied = await deniedLately(gateway, body, upToDate).catch(() => undefined);
  return json(denied ? withDenials(explanation, denied) : explanation);
}

/** How often each policy denied the client of a request in the last hour, at least. */
async function deniedLately(
  { counted, metrics }: Administered,
  body: unknown,
  upToDate: UpToDate,
): Promise<ReadonlyMap<string, number>> {
  const clients = await about(body, counted);
  const named = await Promise.all(
    clients.map(async ({ policy, identity }) => ({
      policy,
      partition: await metrics!.nameOf(identity),
    })),
  );
  const toMs = Date.now();
  const reader = await upToDate();
  const { partitions } = await reader.topCounts(
    [...new Set(named.map(({ partition }) => partition))],
    { fromMs: toMs - HOUR_MS, toMs },
  );
  return new Map(
    named.map(({ policy, partition }) => {
      const row = partitions.find((each) => each.policy === policy && each.partition === partition);
      return [policy, row?.denied.reduce((sum, each) => sum + each, 0) ?? 0];
    }),
  );
}

function withDenials(explanation: Explanation, denied: ReadonlyMap<string, number>): Explanation {
  const rules = explanation.rules.map((rule) => ({
    ...rule,
    policies: rule.policies.map((policy) => {
      const deniedLastHour = denied.get(policy.name);
      return deniedLastHour === undefined ? policy : { ...policy, deniedLastHour };
    }),
  }));
  return { ...explanation, rules };
}

async function reset(call: Call): Promise<Response> {
  const storage = call.storage();
  const body = await readSmallBody(call);
  const forgotten =
    isRecord(body) && "digest" in body
      ? await resetDigest(call, body)
      : await about(body, (request) => call.gateway.reset(request));
  const changes = keptChanges(
    forgotten.map(({ policy, partition }) => ({
      type: "removed",
      path: policy,
      before: partition,
    })),
  );
  await storage.note(auditedAction(call, "reset", changes)).catch((error: Error) => {
    throw error instanceof StoreError ? unnoted(error) : error;
  });
  return json({ reset: forgotten } satisfies Reset);
}

/** The counts are reset by then, even if the audit fails. */
function unnoted({ code, message }: StoreError): Refusal {
  const detail = `The counts are forgotten. The audit may not say so: ${message}`;
  return new Refusal(503, detail, { code, outcome: "unknown" });
}

/** Resets a client of one policy by its name in metrics. */
async function resetDigest({ gateway }: Call, body: object) {
  const { digest, policy } = checked(ResetBody, body);
  try {
    return await gateway.resetDigest(policy, digest);
  } catch (error) {
    throw error instanceof ConfigurationError ? faulty(error.faults) : error;
  }
}

export function explainRoutes(gateway: Administered): readonly AdminRoute[] {
  const upToDate = countsOf(gateway);
  return [
    {
      method: "POST",
      path: "/explain",
      writes: false,
      answer: (call) => explain(call, upToDate),
    },
    { method: "POST", path: "/identities/reset", writes: true, answer: reset },
  ];
}

import { ConfigurationError } from "../../errors/errors.ts";
import type { DescribedRequest } from "../../gateway/administered.ts";
import { isRecord } from "../../options/record.ts";
import { type Call, deedOf, json, readSmallBody, type Route } from "../call.ts";
import { keptChanges } from "../changes.ts";
import { faulty } from "../refusal.ts";
import { checked, RequestBody, ResetBody } from "../schemas.ts";

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

async function explain(call: Call): Promise<Response> {
  return json(await about(await readSmallBody(call), (request) => call.gateway.explain(request)));
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
  await storage.note(deedOf(call, "reset", changes));
  return json({ reset: forgotten });
}

/** Resets a client of one policy by what metrics call it. */
async function resetDigest({ gateway }: Call, body: object) {
  const { digest, policy } = checked(ResetBody, body);
  try {
    return await gateway.resetDigest(policy, digest);
  } catch (error) {
    throw error instanceof ConfigurationError ? faulty(error.faults) : error;
  }
}

export const EXPLAIN: readonly Route[] = [
  { method: "POST", path: "/explain", writes: false, answer: explain },
  { method: "POST", path: "/identities/reset", writes: true, answer: reset },
];

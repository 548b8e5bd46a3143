import { expect } from "vitest";

import { waitInWords } from "../../src/runtime/wait-in-words.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/** `"POST /api/login"`, to a worker. */
export async function ask(
  worker: string,
  route: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [method = "", path = ""] = route.split(" ");
  const response = await fetch(`${worker}${path}`, { method, headers });
  const receivedAt = Date.now();
  const { status, headers: received } = response;
  return { status, headers: received, body: await response.json(), receivedAt };
}

/** `{ rides: { r: 19, t: 1 } }` of `"rides";r=19;t=1`. */
export function fields({ headers }: Answer, name: string): Record<string, Record<string, number>> {
  const items = headers.get(name)?.split(", ") ?? [];
  return Object.fromEntries(
    items.map((item) => {
      const [policy = "", ...parameters] = item.split(";");
      const values = parameters.map((parameter) => parameter.split("="));
      return [
        JSON.parse(policy),
        Object.fromEntries(values.map(([key, value]) => [key, Number(value)])),
      ];
    }),
  );
}

/** The remaining units of a policy. */
export function left(answer: Answer, policy: string): number | undefined {
  return fields(answer, "ratelimit")[policy]?.["r"];
}

/** A 429 that says everything a client may want to know. */
export function expectDenied(answer: Answer, violated: readonly string[]): void {
  const { status, headers, body, receivedAt } = answer;
  expect(status).toBe(429);
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  const wait = Number(headers.get("retry-after"));
  expect(body).toEqual({
    type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
    title: "Quota Exceeded",
    status: 429,
    detail: `The request quota is used up. Try again in ${waitInWords(wait)}.`,
    "violated-policies": violated,
  });
  for (const policy of violated) {
    expect(fields(answer, "ratelimit")[policy]).toEqual({ r: 0, t: expect.any(Number) });
  }
  expect(headers.get("x-ratelimit-remaining")).toBe("0");
  const reset = Number(headers.get("x-ratelimit-reset")) - receivedAt / 1000;
  expect(reset).toBeGreaterThan(-1);
  expect(reset).toBeLessThanOrEqual(3_601);
}

export function count<T extends PropertyKey>(values: readonly T[]): Record<T, number> {
  const counts = {} as Record<T, number>;
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

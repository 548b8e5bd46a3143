import { cors } from "hono/cors";
import { expect, test, vi } from "vitest";

import { gatewayTo, quota } from "../support/gateway/gateway.ts";

/** What Hono gets to read. */
const asked: (string | undefined)[] = [];

vi.mock("hono/cors", async (importActual) => {
  const actual = await importActual<{ cors: typeof cors }>();
  const noting: typeof cors = (options) => {
    const answer = actual.cors(options);
    return (c, next) => {
      asked.push(c.req.header("Access-Control-Request-Headers"));
      return answer(c, next);
    };
  };
  return { cors: noting };
});

test("a preflight reaches Hono without blanks: older versions take time in the square of them", async () => {
  asked.length = 0;
  const ask = gatewayTo("http://127.0.0.1:1", [{ path: "/*", policies: [quota("all", 1)] }], {
    CORS: { origin: "https://app.example" },
  });
  const answer = await ask("/x", {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example",
      "access-control-request-method": "PUT",
      "access-control-request-headers": `content-type \t,${" ".repeat(1_000)}x-key`,
    },
  });
  expect(asked.filter((names) => names !== undefined)).toEqual(["content-type,x-key"]);
  expect([answer.status, answer.headers.get("access-control-allow-headers")]).toEqual([
    204,
    "content-type,x-key",
  ]);
});

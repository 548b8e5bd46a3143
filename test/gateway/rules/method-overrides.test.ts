import { describe, expect, test } from "vitest";

import { gatewayTo, quota, startOrigin } from "../../support/gateway/gateway.ts";

const rules = [
  { method: "POST", path: "/api/login", policies: [quota("login", 1)] },
  { method: "DELETE", path: "/api/*", policies: [quota("delete", 1)] },
  { method: "GET", path: "/api/read", policies: [quota("read", 1)] },
];

/** By whose policies a request was limited, and the method and address by which the origin saw it. */
async function ask(path: string, method: string, headers: Record<string, string> = {}) {
  const origin = await startOrigin();
  const answer = await gatewayTo(origin.url, rules)(path, { method, headers });
  expect(answer.status).toBe(200);
  const policies = answer.headers.get("RateLimit-Policy") ?? "";
  const [seen] = origin.seen;
  return {
    policies: [...policies.matchAll(/"(\w+)"/g)].map(([, name]) => name),
    seen: `${seen!.method} ${seen!.target}`,
    fields: seen!.fields,
  };
}

describe("a method that a client asks the origin to take instead", () => {
  test.each(["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])(
    "counts, too, and reaches the origin as it was sent: %s",
    async (name) => {
      for (const value of ["POST", " post", "PATCH, POST", "Post,"]) {
        const { policies, seen, fields } = await ask("/api/login", "GET", { [name]: value });
        expect([value, policies]).toEqual([value, ["login"]]);
        expect(seen).toBe("GET /api/login");
        expect(fields[name.toLowerCase()]).toEqual([value.trim()]);
      }
    },
  );

  test.each([
    "?_method=POST",
    "?a=b&_method=post",
    "?%5Fmethod=P%4FST",
    "?_METHOD=POST",
    "?a=1;_method=POST",
    "?_method=GET&_method=POST",
    "?_method=POST&_method=GET",
    "?.method=POST",
    "?[method=POST",
    "?+_method=POST",
    "?_method[]=POST",
    "?_method%5B0%5D=POST",
    // PHP ends a name at NUL, Express 4 and Rack leave out brackets around it, and some read a second question mark as the first.
    "?_method%00=POST",
    "?_method%00%5Bx=POST",
    "?%5B_method%5D=POST",
    "?[_method]x=POST",
    "?]_method=POST",
    "?a&[[_method=POST",
    "?_method]=POST",
    "??_method=POST",
    "?%20%20_method=POST",
    "?%5F%4D%65thod%5D[]=POST",
    "?_method=%20POST%00",
    "?_method=%00post%00x",
    "?_method=%09POST",
    "?_method=POST;a",
    "?_method=PO%C5%BFT",
    "?X-HTTP-Method-Override=POST",
    "?x-http-method=POST",
    "?x-method-override%00=POST",
  ])("counts, too, where the query says it: %s", async (query) => {
    const { policies, seen } = await ask(`/api/login${query}`, "GET");
    expect([policies, seen]).toEqual([["login"], `GET /api/login${query}`]);
  });

  test("counts, too, where an origin's query begins at a semicolon of the path", async () => {
    expect((await ask("/api/x;v=1&_method=DELETE?a", "GET")).policies).toEqual(["delete"]);
  });

  test("does not take a request away from its own method's rules", async () => {
    const { policies } = await ask("/api/login?_method=DELETE", "POST", {
      "X-HTTP-Method-Override": "PUT",
    });
    expect(new Set(policies)).toEqual(new Set(["login", "delete"]));
  });

  test("is GET where it is HEAD", async () => {
    const { policies } = await ask("/api/read", "POST", { "X-HTTP-Method-Override": "head" });
    expect(policies).toEqual(["read"]);
  });

  test.each<[string, Record<string, string>]>([
    ["?method=POST&x_method=POST&_methods=POST&q=_method&_method%2500=POST", {}],
    ["?a%26_method=POST&b=[_method]=POST&%3F_method=POST&_method%=POST", {}],
    ["", { "X-Method": "GET", "X-HTTP-Methods": "POST", "X-Override": "POST" }],
    ["", { "No-X-HTTP-Method-Override": "POST" }],
    ["?_method=", { "X-HTTP-Method-Override": "" }],
    ["?_method=FOO", {}],
  ])("is none where nothing asks for it: %s %j", async (query, headers) => {
    expect((await ask(`/api/login${query}`, "GET", headers)).policies).toEqual([]);
  });

  test("cannot be used to take a path past its ambiguity", async () => {
    const origin = await startOrigin();
    const login = gatewayTo(origin.url, rules);
    const asked = { headers: { "X-HTTP-Method-Override": "POST" } };
    expect((await login("/api%2Flogin", asked)).status).toBe(400);
    // No rule is about a GET of it.
    expect((await login("/api%2Flogin")).status).toBe(200);
  });
});

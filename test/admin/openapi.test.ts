import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { liveSchema } from "../../scripts/build-schema/live-document.ts";
import { administered, documentOf, READ_TOKEN } from "../support/admin/administered.ts";
import { type Ask, askAdmin, askingOf } from "./ask.ts";
import { description, openApiText, pointerTo, validatorOf } from "./described.ts";

const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Asks, and compares the answer with its description. */
function checking(ask: Ask, seen: Set<string>): Ask {
  return async (path, asked = {}) => {
    const answer = await ask(path, asked);
    const plain = path.replace(/\?.*/, "");
    const method = (asked.method ?? "GET").toLowerCase();
    const known = description.paths[plain]?.[method]?.responses[answer.status];
    expect([plain, method, answer.status, known !== undefined]).toEqual([
      plain,
      method,
      answer.status,
      true,
    ]);
    seen.add(`${method} ${plain} ${answer.status}`);
    const pointer = pointerTo(plain, method, answer.status);
    if (pointer === "") {
      expect(answer.text).toBe("");
      return answer;
    }
    const isValid = validatorOf(pointer);
    const isText = pointer.includes("text/schema");
    const body = isText ? answer.text : answer.body;
    expect([plain, isValid(body), isValid.errors]).toEqual([plain, true, null]);
    return answer;
  };
}

test("docs/openapi.json has the content of the schemas", () => {
  expect(readFileSync("docs/openapi.json", "utf8")).toBe(openApiText);
  expect(readFileSync("docs/live.schema.json", "utf8")).toBe(liveSchema());
});

test("it is OpenAPI 3.1: every reference leads somewhere, every schema compiles, every operation has its own name", () => {
  expect(description.openapi).toBe("3.1.0");
  for (const [, pointer] of openApiText.matchAll(/"\$ref": "#\/([^"]+)"/g)) {
    const found = pointer!
      .split("/")
      .reduce<unknown>((value, step) => Object(value)[step], description);
    expect([pointer, typeof found]).toEqual([pointer, "object"]);
  }
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, method, operation } of operations) {
    expect(operation.summary).toMatch(/\.$/);
    const statuses = Object.keys(operation.responses).map(Number);
    expect(statuses).toEqual(expect.arrayContaining([400, 401, 429, 503]));
    for (const status of statuses) {
      const pointer = pointerTo(path, method, status);
      if (pointer !== "") validatorOf(pointer);
    }
  }
});

test("every route answers what its description says, with every status that it can have", async () => {
  const seen = new Set<string>();
  const ask = checking(askAdmin(), seen);
  const headers = { "If-Match": '"0"' };
  const send = (method: string, path: string, body?: unknown, more = {}) =>
    ask(path, { method, body, headers: more });

  for (const { path, method } of operations) {
    const asked = { method: method.toUpperCase() };
    await ask(path, {
      ...asked,
      token: "wrong",
      headers: { "cf-connecting-ip": `10.0.0.${seen.size % 256}` },
    });
    await ask(`${path}?unknown`, asked);
    await ask(path, { ...asked, token: READ_TOKEN });
    if (method !== "get") {
      await send(asked.method, path, "{", headers);
      await send(asked.method, path, "{}", { ...headers, "content-type": "text/plain" });
      await send(asked.method, path, " ".repeat(900_001), headers);
      await send(asked.method, path, { unknown: 1 }, headers);
    }
    const memory = checking(askingOf(administered(undefined)), seen);
    await memory(path, {
      ...asked,
      headers,
      body: method === "get" ? undefined : documentOf(1),
    });
  }
  const nowhere = administered({ url: "http://127.0.0.1:1", token: "test" });
  const unreached = checking(askingOf(nowhere), seen);
  expect((await unreached("/health")).status).toBe(503);
  expect((await unreached("/rules")).status).toBe(503);
  await send("PUT", "/rules", documentOf(1));
  await send("PUT", "/rules?dry-run", documentOf(1));
  await send("PUT", "/rules?note=a", documentOf(1), headers);
  await send("PUT", "/rules", documentOf(1), headers);
  await send("GET", "/rules/draft");
  await send("POST", "/rules/publish");
  await send("PUT", "/rules/draft", documentOf(2), headers);
  await send("PUT", "/rules/draft", documentOf(2));
  await send("POST", "/rules/draft", documentOf(2));
  await send("GET", "/rules/draft");
  await send("GET", "/rules/diff");
  await send("GET", "/rules/diff?from=99");
  await send("POST", "/rules/publish", { note: "b" });
  await send("POST", "/rules/rollback", { to: 99 });
  await send("POST", "/rules/rollback", {}, headers);
  await send("POST", "/rules/rollback");
  await send("PUT", "/rules?percent=9&max-denied=0.1", documentOf(3), { "If-Match": '"3"' });
  await send("GET", "/rules");
  await send("GET", "/rules/history");
  await send("PUT", "/rules/trial", { percent: 20 });
  await send("PUT", "/rules/trial", { percent: 20 }, headers);
  await send("POST", "/rules/rollback");
  const { version } = (await send("GET", "/rules")).body;
  await send("DELETE", "/rules", undefined, { "If-Match": `"${version}"` });
  await send("GET", "/rules/history");
  for (const path of ["/lists/allow", "/lists/deny"]) {
    await send("PUT", path, { cidr: "203.0.113.1", for: "1h" });
    await send("PUT", path, { country: "CH" });
    await send("GET", path);
    await send("DELETE", path, { country: "CH" });
    await send("DELETE", path, { country: "CH" });
  }
  await send("PUT", "/overrides", {
    identity: "x-user-id:42",
    plan: "gold",
    until: "2199-01-01T00:00:00Z",
  });
  await send("PUT", "/overrides", { identity: "x-user-id:a*", policies: { rides: { limit: 7 } } });
  await send("GET", "/overrides");
  await send("DELETE", "/overrides", { identity: "x-user-id:42", plan: "gold" });
  await send("POST", "/explain", { path: "/rides", headers: { "x-user-id": "42" } });
  await send("POST", "/identities/reset", { path: "/rides", headers: { "x-user-id": "42" } });
  await send("POST", "/partitions/history", { name: "x-user-id:42" });
  await send("POST", "/partitions/history", { request: { path: "/rides" } });
  await send("GET", "/audit");
  const unasked = operations.flatMap(({ path, method, operation }) =>
    Object.keys(operation.responses)
      .filter(
        (status) => status.startsWith("2") || ["400", "401", "403", "413", "415"].includes(status),
      )
      .map((status) => `${method} ${path} ${status}`)
      .filter((each) => !seen.has(each)),
  );
  expect(unasked).toEqual([]);
  expect(seen.size).toBeGreaterThan(100);
});

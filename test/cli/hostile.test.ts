import { describe, expect, test } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";
import { CHANGES, problem } from "./answers.ts";
import { useGateway } from "./use-gateway.ts";

const on = useGateway();

/** Clears the screen, hides text by its direction, and breaks the line. */
const NASTY = "\u001B[2J\u009B1m\u202Egnp.exe\u2028\r\nok\u0007\u200B\u00AD\u{E0041}\u3164";
const SHOWN =
  "\\u001b[2J\\u009b1m\\u202egnp.exe\\u2028\\u000d\\u000aok\\u0007\\u200b\\u00ad\\udb40\\udc41\\u3164";

describe("an answer that is not an admin API's is no answer", () => {
  const DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const json = "application/json";
  test.for([
    ["HTML", 200, "text/html", "<h1>Hello</h1>", /answered with text\/html instead of JSON/],
    ["a broken document", 200, json, '{"version":', /answered with JSON that is broken/],
    ["a text of JSON", 200, json, '"ok"', /something else .* \(the whole\)/],
    ["other fields", 200, json, '{"version":"7"}', /something else .* \(version\)/],
    [
      "a document without end",
      200,
      json,
      `{"document":{"rules":${DEEP}}}`,
      /broken or nested too deep/,
    ],
    ["an empty answer", 200, json, "", /answered with JSON that is broken/],
    ["HTML of a proxy", 502, "text/html", "<h1>Bad</h1>", /with the status 502, and not as/],
    ["a 404 of an origin", 404, "text/plain", "not found", /with the status 404, and not as/],
    ["a 500 without a body", 500, undefined, "", /with the status 500, and not as/],
    ["a problem without a title", 500, json, '{"detail":1}', /status 500, and not as/],
  ] as const)("%s", async ([, status, type, body, message]) => {
    on.gateway.script((response) => {
      response.writeHead(status, type === undefined ? {} : { "content-type": type });
      response.end(body);
    });
    const { out, err, exit } = await on.run(["rules", "pull"]);
    expect(err).toMatch(message);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect([out, exit]).toEqual(["", 3]);
  });

  test("one of 10 MB, which is not read to its end", async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    on.gateway.script((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.on("close", close);
      const chunk = Buffer.alloc(1_000_000, 0x20);
      // An answer without an end: the connection closes only if the program leaves it.
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    });
    const { out, err, exit } = await on.run(["rules", "pull"]);
    expect(err).toBe("error: The answer has more than 8000000 bytes, as none of a gateway has.\n");
    expect([out, exit]).toEqual(["", 3]);
    await closed;
  });

  test("one that does not come in time", async () => {
    on.gateway.script((response) => response.flushHeaders());
    const { err, exit } = await on.run(["audit", "--timeout", "300ms"]);
    expect(err).toBe(`error: ${on.gateway.url} did not answer in 0.3 s.\n`);
    expect(exit).toBe(3);
  });

  test("a connection that breaks, and one that is refused", async () => {
    on.gateway.script((response) => void response.destroy());
    const broken = await on.run(["audit"]);
    expect(broken.err).toMatch(/^error: No answer from http:\/\/127\.0\.0\.1:\d+: [^\n]+\.\n$/);
    expect(broken.exit).toBe(3);
    const url = `http://127.0.0.1:${await freePort()}`;
    const refused = await on.run(["audit", "--url", url]);
    expect(refused.err).toMatch(/ECONNREFUSED/);
    expect(refused.exit).toBe(3);
  });
});

describe("control characters of a server", () => {
  test("are escaped in problems, faults and redirects", async () => {
    const errors = [{ path: NASTY, value: NASTY, remedy: NASTY }];
    on.gateway.script(problem(403, NASTY, { detail: NASTY, errors }), (response) => {
      response.writeHead(302, { location: "https://\u009B1m" }).end();
    });
    const { err, exit } = await on.run(["audit"]);
    expect(err).toBe(`error: ${SHOWN} (403)\n${SHOWN}\n  ${SHOWN}: ${SHOWN} (found: ${SHOWN})\n`);
    expect(exit).toBe(4);
    expect((await on.run(["audit"])).err).not.toContain("\u009B");
  });

  test("are escaped in tables, changes and explanations", async () => {
    const entries = [{ n: 1, at: NASTY, by: NASTY, action: NASTY }];
    const changes = [{ type: "added", path: NASTY, after: NASTY }];
    const policies = [{ name: NASTY, partition: NASTY, mode: NASTY, allowed: true }];
    const rules = [{ index: 0, method: "*", path: "/", policies }];
    on.gateway.script(
      { status: 200, json: { entries } },
      { status: 200, json: { from: "live", to: "draft", changes } },
      { status: 200, json: { verdict: NASTY, reason: NASTY, plan: NASTY, rules } },
    );
    const runs = [["audit"], ["rules", "diff"], ["explain", "GET", "/"]];
    for (const args of runs) {
      const { out, exit } = await on.run(args);
      expect(out).toContain("\\u001b[2J");
      // oxlint-disable-next-line no-control-regex
      expect(out).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028\u202E]/);
      expect(exit).toBe(0);
    }
  });

  test("are escapes in JSON, which stays the same", async () => {
    const json = { from: "live", to: "draft", changes: [{ ...CHANGES[0], after: NASTY }] };
    on.gateway.script({ status: 200, json });
    const { out } = await on.run(["rules", "diff", "--json"]);
    expect(JSON.parse(out)).toEqual(json);
    // oxlint-disable-next-line no-control-regex
    expect(out).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028\u202E]/);
  });
});

test.for([
  ...[401, 403, 429].map((status) => [status, 4] as const),
  [412, 5] as const,
  ...[500, 503].map((status) => [status, 3] as const),
  ...[400, 404, 409, 413, 422].map((status) => [status, 1] as const),
])("a problem with %i exits with %i", async ([status, exit]) => {
  on.gateway.script(problem(status, "No"));
  expect((await on.run(["audit"])).exit).toBe(exit);
});

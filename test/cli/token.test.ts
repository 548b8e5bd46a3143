import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { TOKEN } from "../support/cli/run.ts";
import { LIVE, problem } from "./answers.ts";
import { startScriptedGateway } from "./scripted-gateway.ts";
import { useGateway } from "./use-gateway.ts";

const on = useGateway();

describe("the token", () => {
  test.for([301, 302, 303, 307, 308])("does not follow a redirect with %i", async (status) => {
    const other = await startScriptedGateway();
    try {
      on.gateway.script((response) => {
        response.writeHead(status, { location: `${other.url}/${TOKEN}` }).end();
      });
      const { err, exit } = await on.run(["rules", "pull"]);
      expect(err).toContain(`${on.gateway.url} redirects to ${other.url}/(token). `);
      expect([exit, other.seen, on.gateway.seen.length]).toEqual([3, [], 1]);
    } finally {
      other.close();
    }
  });

  test("comes from a file, without the line break at its end", async () => {
    writeFileSync(join(on.cwd, "token"), "the-token-of-the-file\r\n");
    on.gateway.script({ status: 200, json: LIVE });
    const args = ["rules", "pull", "--token-file", "token"];
    expect((await on.run(args)).exit).toBe(0);
    expect(on.gateway.seen[0]?.authorization).toBe("Bearer the-token-of-the-file");
  });

  test("is in no message about a token that cannot be", async () => {
    on.gateway.script();
    const lengths = ["x".repeat(19), "x".repeat(257)];
    for (const token of ["x y".repeat(9), `${TOKEN}\nbreak`, `${TOKEN}ü`, ...lengths]) {
      const { out, err, exit } = await on.run(["audit"], { env: { TIDEGATE_TOKEN: token } });
      expect([out, exit]).toEqual(["", 2]);
      expect(err).toBe("error: A token has 20 to 256 printable ASCII characters and no blanks.\n");
    }
    const { err, exit } = await on.run(["audit"], { env: { TIDEGATE_TOKEN: "" } });
    expect(err).toMatch(/^error: Set TIDEGATE_TOKEN to the gateway's ADMIN_TOKEN or READ_TOKEN/);
    expect(exit).toBe(2);
    expect(on.gateway.seen).toEqual([]);
  });

  test("is hidden where the gateway sends it back", async () => {
    on.gateway.script(problem(401, `Wrong token ${TOKEN}`, { detail: `Bearer ${TOKEN}!` }));
    const { out, err, exit } = await on.run(["audit"]);
    expect(err).toBe(
      "error: Wrong token (token) (401)\nBearer (token)!\nThe token comes from TIDEGATE_TOKEN or --token-file: it has to be the gateway's ADMIN_TOKEN or READ_TOKEN.\n",
    );
    expect([out, exit]).toEqual(["", 4]);
  });

  test("is sent over http to another machine only with a warning", async () => {
    const { err } = await on.run(["audit", "--url", "http://gateway.invalid", "--timeout", "5s"]);
    expect(err).toMatch(/^Warning: the address begins with http, /);
  });
});

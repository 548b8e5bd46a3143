import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { hash } from "../../src/partition/key-text.ts";
import { ADMIN_TOKEN } from "../support/live/live-gateway.ts";
import { codeBlocks } from "./code-blocks.ts";
import { serveAdministered } from "./serve-administered.ts";

const PROGRAM = `'${process.execPath}' '${resolve("packages/cli/src/main.ts")}'`;

const CLIENT = { "x-user-id": "42", "cf-connecting-ip": "203.0.113.7" };

// It starts the program a dozen times.
test("the commands of docs/cli.md for an incident find the denial, free the customer, change the rule and take it back", async () => {
  // Two rides a day.
  const rides = { algorithm: "token-bucket", name: "rides", limit: 2, refill: 2, per: "1d" };
  const url = await serveAdministered([
    { path: "/rides", partition: ["header:x-user-id"], policies: [rides] },
  ]);
  const folder = mkdtempSync(join(tmpdir(), "tidegate-incident-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...process.env, TIDEGATE_URL: url, TIDEGATE_TOKEN: ADMIN_TOKEN, NO_COLOR: "1" };
  const text = readFileSync("docs/cli.md", "utf8");
  const begin = text.slice(0, text.indexOf("## An incident")).split("\n").length;
  const end = text.slice(0, text.indexOf("## Settings")).split("\n").length;
  const blocks = codeBlocks("docs/cli.md").filter(({ line }) => line > begin && line < end);
  /** Runs the next block. */
  async function follow(): Promise<string> {
    const code = blocks.shift()!.code.replaceAll("npx tidegate", PROGRAM);
    return (await promisify(execFile)("sh", ["-e", "-c", code], { cwd: folder, env })).stdout;
  }
  const ride = async () => {
    return (await fetch(`${url}/rides`, { method: "POST", headers: CLIENT })).status;
  };
  const rules = () => readFileSync(join(folder, "rules.json"), "utf8");

  expect([await ride(), await ride(), await ride()]).toEqual([200, 200, 429]);
  const found = await follow();
  expect(found).toMatch(/^rides +x-user-id:\S+ +1$/m);
  expect(found).toMatch(/^rules\[0\] +rides .* no +1$/m);
  expect(found).toContain("The request is denied.");

  // This block is followed line by line, with the name that this client has.
  const digest = await hash(CLIENT["x-user-id"]);
  const abuser = blocks.shift()!;
  const commands = abuser.code
    .replaceAll(/:[\w-]{43}/g, `:${digest}`)
    .trim()
    .split("\n");
  blocks.unshift(...commands.map((code) => Object.assign({}, abuser, { code })));
  await follow();
  expect(await ride()).toBe(403);
  expect(await follow()).toContain(`deny  x-user-id:${digest}  `);
  await follow();
  expect(await ride()).toBe(429);

  await follow();
  expect(await ride()).toBe(200);

  await follow();
  writeFileSync(join(folder, "rules.json"), rules().replace('"limit": 2', '"limit": 5'));
  expect(await follow()).toBe("~ rules[0].policies[0].limit: 2 -> 5\n".repeat(2));
  expect(JSON.parse(rules())).toHaveProperty("version", 1);

  const undone = await follow();
  expect(undone).toContain("rides are too strict");
  expect(undone).toContain("~ rules[0].policies[0].limit: 5 -> 2\n");
  expect(undone).toMatch(/ put override .*x-user-id:42.*\n.* reset .*x-user-id:42/);
  expect(blocks).toEqual([]);
}, 120_000);

import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

/** Plain values where made ones belong, and what TypeScript must name: the functions that make them. */
const PLAIN = {
  'createLimiter({ policies, lease: "100ms" })': 'MadeBy<"lease()">',
  "createLimiter({ policies, plans: { gold: {} } })": 'MadeBy<"plans()">',
  'createLimiter({ policies, region: { name: "fra" } })': 'MadeBy<"region()">',
  'createLimiter({ policies, sharedDenials: "colo" })': 'MadeBy<"coloDenials() or shareDenials()">',
  'createLimiter({ policies, redis: "redis://localhost" })':
    'MadeBy<"client(), cluster(), fromIoredis() or fromNodeRedis()">',
  "rateLimit({ policies, lists: { allow: [] } })": 'MadeBy<"lists()">',
  'rateLimit({ policies, jwt: { secret: "s" } })': 'MadeBy<"jwt()">',
  "fixedWindow({ ...numbers, shards: 8 })": 'MadeBy<"shards()">',
  "fixedWindow({ ...numbers, optimistic: true })": 'MadeBy<"optimistic()">',
  "fixedWindow({ ...numbers, refundable: true })": "Refundable",
  'fixedWindow({ ...numbers, counts: "failures" })': "Denials | Failures",
  "fixedWindow({ ...numbers, notify: 0.8 })": 'MadeBy<"notify()">',
  'fixedWindow({ limit: 5, window: "month" })': 'MadeBy<"month(), week(), day() or hour()">',
};

test("a plain value where a made one belongs is a type error that names the function", async () => {
  const folder = resolve(".tmp/made-values");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const head = [
    'import { createLimiter, fixedWindow } from "tidegate";',
    'import { rateLimit } from "tidegate/hono";',
    'const numbers = { limit: 5, window: "1m" } as const;',
    "export const policies = [fixedWindow(numbers)];",
  ];
  writeFileSync(join(folder, "plain.ts"), [...head, ...Object.keys(PLAIN), ""].join(";\n"));
  writeFileSync(
    join(folder, "tsconfig.json"),
    '{ "extends": "../../tsconfig.json", "include": ["*.ts"] }',
  );
  const said = await promisify(execFile)("tsc", ["-p", folder, "--pretty", "false"]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  const errors = said.split("\n").filter((line) => /^\S+\(\d/.test(line));
  expect(errors).toHaveLength(Object.keys(PLAIN).length);
  Object.values(PLAIN).forEach((named, i) => expect(errors[i]).toContain(named));
  rmSync(folder, { recursive: true });
}, 120_000);

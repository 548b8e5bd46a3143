import { globSync, readdirSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

import {
  type Algorithm,
  ALGORITHMS,
  bytesPerKey,
} from "../../packages/cli/src/doctor/memory-formula.ts";
import { ENGINES } from "../../scripts/engines/engines.ts";
import { connect, deployRedis, idsOf } from "../support/cli/deployment.ts";

const document = readFileSync("docs/redis.md", "utf8");
const checks = readdirSync("packages/cli/src/doctor/checks")
  .map((file) => readFileSync(`packages/cli/src/doctor/checks/${file}`, "utf8"))
  .join("\n");

test("the table of the doctor has every finding, and no other", () => {
  const table = document.slice(document.indexOf("| finding "));
  const named = Array.from(table.matchAll(/^\| `([a-z0-9-]+)`/gm), ([, id]) => id);
  const found = Array.from(checks.matchAll(/\bid: (.+),$/gm), ([, id]) =>
    Array.from(id!.matchAll(/["`]([a-z0-9-]+)[":]/g), ([, each]) => each),
  ).flat();
  expect([...named].sort()).toEqual([...new Set(found)].sort());
  expect(new Set(named).size).toBe(named.length);
});

test("the table of tested versions has the engines of `npm run test:engines`", () => {
  const rows = document.matchAll(/^\| (Redis|Valkey) (\d\.\d) +\| (\d\.\d)\.\d+ +\|/gm);
  const named = Array.from(rows, ([, name, line, own]) => {
    expect(own).toBe(line);
    return `${name!.toLowerCase()}-${line}`;
  });
  expect(named).toEqual(ENGINES.map(({ name }) => name));
});

test("the table of bytes is the formula's", () => {
  const count = (bytes: number) => bytes.toLocaleString("en-US");
  const rows = document.split("<!-- memory -->")[1]!.split("<!-- end memory -->")[0]!;
  const cells = Array.from(
    rows.matchAll(/^\| `([a-z-]+)` +\| +([\d,]+) \| +([\d,]+) \|$/gm),
    (row) => row.slice(1),
  );
  const bytesOf = (algorithm: Algorithm) =>
    [100, 1_000].map((limit) => count(Math.round(bytesPerKey({ algorithm, limit }))));
  expect(cells).toEqual(
    ALGORITHMS.map((algorithm) => [algorithm as string].concat(bytesOf(algorithm))),
  );
});

test("the example is computed by the formula", () => {
  const [window, bucket] = (["fixed-window", "token-bucket"] as const).map((algorithm) =>
    bytesPerKey({ algorithm, limit: 100 }),
  );
  const each = window! + bucket!;
  const maxmemory = 1.25 * 1e6 * each + 2 * 2 ** 20;
  const text = document.replaceAll(/\s+/g, " ");
  expect(text).toContain(`${window} + ${bucket} = ${each} bytes each, together ${each} MB`);
  expect(text).toContain(
    `${maxmemory.toLocaleString("en-US")} bytes, which is ${Math.ceil(maxmemory / 2 ** 20)} MiB`,
  );
});

test("the rights that it names are enough, and none of them is too many", async () => {
  const server = await deployRedis();
  const admin = connect(server.url);
  const rule = /^ACL (SETUSER limiter .*)$/m.exec(document)![1]!.replace("SECRET", "secret");
  await admin.call("ACL", ...rule.split(" "));
  const redisUrl = server.url.replace("//", "//limiter:secret@");
  expect(await idsOf({ redisUrl })).toEqual([]);
  const commands = [...rule.matchAll(/ \+(\w+)/g)].map(([, name]) => name!.toUpperCase());
  const lua = readdirSync("lua", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".lua"))
    .map((file) => readFileSync(`lua/${file}`, "utf8"))
    .join("\n");
  const used = Array.from(lua.matchAll(/redis\.p?call\('([A-Z_]+)'/g), ([, name]) => name!);
  const sent = globSync("src/{admin,live,metrics,store}/**/*.ts").flatMap((file) =>
    Array.from(readFileSync(file, "utf8").matchAll(/\(\["([A-Z]+)"/g), ([, name]) => name!),
  );
  // Without CONFIG it is not known whether a restart loses live rules, and the gateway says so. It would tell passwords, too.
  const needed = sent.filter((name) => name !== "CONFIG");
  // The bridge's are PING and INFO.
  const all = [...used, ...needed, "EVAL", "EVALSHA", "PING", "INFO"];
  expect(commands.sort()).toEqual([...new Set(all)].sort());
});

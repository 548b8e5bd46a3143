import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { bytesPerKey } from "../../packages/cli/src/doctor/memory-formula.ts";
import { connect, deployRedis } from "../support/cli/deployment.ts";

const conf = readFileSync("deploy/redis.conf", "utf8");
const lines = conf.split("\n");

test("a Redis takes every line of deploy/redis.conf", async () => {
  const settings = lines.flatMap((line) => {
    const [, name, value] = /^([a-z-]+) (.+)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value!] as const];
  });
  expect(settings).toHaveLength(15);
  const redis = connect((await deployRedis()).url);
  const taken = await Promise.all(
    settings.map(async ([name]) => {
      const reply = (await redis.config("GET", name)) as unknown;
      return [name, String(Array.isArray(reply) ? reply[1] : undefined)];
    }),
  );
  const meant = settings.map(([name, value]) => {
    const bytes = /^(\d+)mb$/.exec(value)?.[1];
    return [name, bytes ? `${Number(bytes) * 2 ** 20}` : value.replaceAll('"', "")];
  });
  expect(taken).toEqual(meant);
});

test("each line has its reason above it", () => {
  const bare = lines.filter((line, i) => {
    const before = lines.slice(0, i).findLast((other) => !/^lazyfree-|^slowlog-/.test(other));
    return line !== "" && !line.startsWith("#") && !before?.startsWith("#");
  });
  expect(bare).toEqual([]);
});

test("it holds as many partitions as it says", () => {
  const maxmemory = Number(/^maxmemory (\d+)mb$/m.exec(conf)![1]) * 2 ** 20;
  const millions = Number(/hold about (\d+) million partitions/.exec(conf)![1]);
  const each = bytesPerKey({ algorithm: "sliding-window-counter", limit: 100 });
  expect(Math.floor(maxmemory / (1.25 * each) / 1e6)).toBe(millions);
});

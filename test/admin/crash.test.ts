import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, onTestFinished, test } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { administered, documentOf } from "../support/admin/administered.ts";
import { random } from "../support/random.ts";
import { type Ask, askingOf } from "./ask.ts";

const limitOf = (document: { rules: { policies: { limit: number }[] }[] }) =>
  document.rules[0]!.policies[0]!.limit;

/** Publishes documents that say which version they will be, until Redis is gone. */
async function publishOn(ask: Ask, acknowledged: Set<number>): Promise<void> {
  for (;;) {
    const read = await ask("/rules");
    if (read.status !== 200) return;
    const { version } = read.body;
    const answer = await ask("/rules", {
      method: "PUT",
      body: documentOf(version + 1),
      headers: { "If-Match": `"${version}"` },
    });
    if (answer.status === 200) acknowledged.add(answer.body.version);
    else if (answer.status !== 412) {
      expect([answer.status, answer.body.outcome]).toEqual([
        503,
        expect.stringMatching(/unknown|not-done/),
      ]);
      return;
    }
  }
}

test("a Redis that is killed while documents are published has whole versions only, and every one that was answered", async () => {
  const dir = mkdtempSync(join(tmpdir(), "tidegate-crash-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const args = ["--dir", dir, "--appendonly", "yes", "--appendfsync", "always"];
  let redis = await startRedisServer({ args });
  onTestFinished(() => redis.stop());
  const bridge = await startBridge({ redis: redis.url, port: 0, token: "test" });
  onTestFinished(() => bridge.close());
  const { prefix } = administered(undefined);
  const open = () => askingOf(administered({ url: bridge.url, token: "test" }, { prefix }));
  const chance = random(1);
  const acknowledged = new Set<number>();

  for (let crash = 0; crash < 4; crash++) {
    const publishing = [open(), open(), open()].map((ask) => publishOn(ask, acknowledged));
    const before = acknowledged.size;
    while (acknowledged.size < before + 5) await sleep(5);
    await sleep(chance() * 40);
    redis.kill("SIGKILL");
    await redis.stop();
    await Promise.all(publishing);
    redis = await startRedisServer({ port: redis.port, args });

    const ask = open();
    while ((await ask("/rules")).status !== 200) await sleep(20);
    const { version, document } = (await ask("/rules")).body;
    expect(limitOf(document)).toBe(version);
    expect(version).toBeGreaterThanOrEqual(Math.max(...acknowledged));
    const { versions } = (await ask("/rules/history")).body;
    const numbers = versions.map((each: { version: number }) => each.version);
    const kept = Math.min(50, version);
    expect(numbers).toEqual(Array.from({ length: kept }, (_, i) => version - i));
    const { entries } = (await ask("/audit")).body;
    expect(entries.map((entry: { version: number }) => entry.version)).toEqual(
      Array.from({ length: Math.min(500, version) }, (_, i) => version - i),
    );
    for (const number of [numbers.at(-1), numbers[0]]) {
      const { changes } = (await ask(`/rules/diff?from=deployed&to=${number}`)).body;
      expect(changes.map(({ after }: { after: number }) => after)).toEqual(
        number === 100 ? [] : [number],
      );
    }
  }
});

import { expect, test } from "vitest";

import { administered, documentOf } from "../support/admin/administered.ts";
import { askingOf, sharedRedis } from "./ask.ts";

/** Four isolates of one gateway. */
function isolates() {
  const { prefix } = administered(undefined);
  return Array.from({ length: 4 }, () => askingOf(administered(sharedRedis(), { prefix })));
}

const WRITERS = Array.from({ length: 200 }, (_, i) => i);

test("of two hundred writers at once one wins each version, and the others learn which it is", async () => {
  const asks = isolates();
  for (let version = 0; version < 2; version++) {
    const answers = await Promise.all(
      WRITERS.map((writer) =>
        asks[writer % 4]!(`/rules?note=writer+${writer}`, {
          method: "PUT",
          body: documentOf(writer + 1),
          headers: { "If-Match": `"${version}"` },
        }),
      ),
    );
    const winners = WRITERS.filter((writer) => answers[writer]!.status === 200);
    expect(winners).toHaveLength(1);
    const [winner] = winners as [number];
    expect(answers[winner]!.body.version).toBe(version + 1);
    for (const { status, body } of answers.filter((_, writer) => writer !== winner)) {
      expect([status, body.version]).toEqual([412, version + 1]);
    }
    const { body } = await asks[0]!("/rules");
    expect([body.version, body.document]).toEqual([version + 1, documentOf(winner + 1)]);
    expect((await asks[1]!("/rules/history")).body.versions[0].note).toBe(`writer ${winner}`);
  }
  const { versions } = (await asks[0]!("/rules/history")).body;
  expect(versions.map((each: { version: number }) => each.version)).toEqual([2, 1]);
});

test("concurrent writers that each build on their own read lose no change, and no version is there twice", async () => {
  const asks = isolates();
  async function write(writer: number): Promise<number> {
    for (;;) {
      const ask = asks[writer % 4]!;
      const { version, document } = (await ask("/rules")).body;
      const others = document.lists?.deny ?? [];
      const body = { ...documentOf(1), lists: { deny: [...others, { asn: writer + 1 }] } };
      const headers = { "If-Match": `"${version}"` };
      const answer = await ask("/rules", { method: "PUT", body, headers });
      if (answer.status === 200) return answer.body.version;
      expect(answer.status).toBe(412);
    }
  }
  const versions = await Promise.all(WRITERS.slice(0, 15).map(write));
  expect(versions.sort((a, b) => a - b)).toEqual(WRITERS.slice(1, 16));
  const { document } = (await asks[0]!("/rules")).body;
  const denied = document.lists.deny.map(({ asn }: { asn: number }) => asn - 1);
  expect(denied.sort((a: number, b: number) => a - b)).toEqual(WRITERS.slice(0, 15));
});

test("of two hundred entries put at once all are there", async () => {
  const asks = isolates();
  const answers = await Promise.all(
    WRITERS.map((writer) =>
      asks[writer % 4]!("/lists/deny", { method: "PUT", body: { asn: writer + 1 } }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const { entries } = (await asks[0]!("/lists/deny")).body;
  const numbers = entries.map(({ asn }: { asn: number }) => asn - 1);
  expect(numbers.sort((a: number, b: number) => a - b)).toEqual(WRITERS);
  const removed = await Promise.all(
    WRITERS.map((writer) =>
      asks[writer % 4]!("/lists/deny", {
        method: "DELETE",
        body: { asn: Math.floor(writer / 2) + 1 },
      }),
    ),
  );
  expect(removed.filter(({ status }) => status === 204)).toHaveLength(100);
  expect((await asks[0]!("/lists/deny")).body.entries).toHaveLength(100);
});

import { randomBytes } from "node:crypto";

import { describe, expect, test, vi } from "vitest";

import { runOnRedis, useRecipes } from "../recipes.ts";

const folder = useRecipes("uploads");
/** A name that no earlier run has used, because a Redis may be kept. */
const unique = () => randomBytes(6).toString("hex");

describe("Uploads by bytes, on Redis", () => {
  interface Uploads {
    readonly default: { fetch(request: Request): Promise<Response> };
    readonly files: Map<string, Uint8Array>;
  }
  const open = () => runOnRedis<Uploads>("Uploads by bytes", folder);

  /** Sends chunks, and fails after them where it is told to. */
  function upload(customer: string, sizes: readonly number[], length?: number, error?: Error) {
    const left = [...sizes];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const size = left.shift();
        if (size !== undefined) controller.enqueue(new Uint8Array(size));
        else if (error) controller.error(error);
        else controller.close();
      },
    });
    const headers = {
      "x-customer-id": customer,
      ...(length !== undefined && { "content-length": String(length) }),
    };
    const init = { method: "PUT", headers, body, duplex: "half" };
    return new Request("http://edge.example/files/one", init as RequestInit);
  }

  test("six of 10 MB at once: five are read, and the bytes that they did not send come back", async () => {
    const app = await open();
    const customer = unique();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => app.default.fetch(upload(customer, [1_000], 10_000_000))),
    );
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
    const all = await Promise.all(
      Array.from({ length: 5 }, () => app.default.fetch(upload(customer, [1_000]))),
    );
    expect(all.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(4);
  });

  test("an upload that is larger than it said, or than the largest, is cut and pays for the bytes read", async () => {
    const app = await open();
    const customer = unique();
    const { files } = app;
    let sent = 0;
    for (const [sizes, length, pays] of [
      [[10, 1_000, 9_000_000], 500, 1_010],
      [[100, 9_000_000], 0, 100],
      [[6_000_000, 6_000_000, 6_000_000], undefined, 12_000_000],
    ] as const) {
      const answer = await app.default.fetch(upload(customer, sizes, length));
      expect(answer.status).toBe(413);
      sent += pays;
    }
    expect((await app.default.fetch(upload(customer, [], 10_000_001))).status).toBe(413);
    expect((await app.default.fetch(upload(customer, [], -1))).status).toBe(400);
    expect(files.size).toBe(0);
    const rest = 50_000_000 - sent;
    const answers = [];
    for (const size of [10_000_000, 10_000_000, 10_000_000, rest - 30_000_000]) {
      answers.push((await app.default.fetch(upload(customer, [size], size))).status);
    }
    expect(answers).toEqual([201, 201, 201, 201]);
    expect((await app.default.fetch(upload(customer, [1], 1))).status).toBe(429);
    expect((await app.default.fetch(upload(customer, [], 0))).status).toBe(201);
  });

  test("an upload that breaks off pays for the bytes read", async () => {
    const app = await open();
    const customer = unique();
    vi.spyOn(console, "error").mockImplementation(() => {});
    for (let i = 0; i < 6; i++) {
      const broken = upload(customer, [1_000, 2_000], 9_999_999, new Error("gone"));
      expect((await app.default.fetch(broken)).status).toBe(500);
    }
    const full = upload(customer, [10_000_000], 10_000_000);
    expect((await app.default.fetch(full)).status).toBe(201);
    expect(app.files.get("one")).toHaveLength(10_000_000);
  });
});

import { expect, test } from "vitest";

import { readUsage } from "../../src/llm.ts";
import type { Usage } from "../../src/llm/usage.ts";
import { bytesOf } from "../llm/streamed.ts";
import { SHAPES } from "../support/llm/shapes.ts";

test("readUsage() of tidegate/llm reads every shape in the Edge runtime", async () => {
  for (const { name, type, body, headers, usage } of SHAPES) {
    const told: (Usage | undefined)[] = [];
    const given = new Response(body, {
      status: 201,
      headers: { ...headers, "Content-Type": type },
    });
    const read = readUsage(given, (usage) => void told.push(usage));
    const bytes = new Uint8Array(await read.arrayBuffer());
    expect([name, read.status, bytes]).toEqual([name, 201, bytesOf(body)]);
    expect([name, ...told]).toEqual([name, usage]);
  }
});

import { expect, test } from "vitest";

import { readUsage } from "../../src/llm.ts";
import type { Usage } from "../../src/llm/usage.ts";
import { SHAPES } from "../support/llm/shapes.ts";

test("readUsage() of tidegate/llm reads every shape in the Edge runtime", async () => {
  for (const { name, type, body, usage } of SHAPES) {
    const told: (Usage | undefined)[] = [];
    const given = new Response(body, { status: 201, headers: { "Content-Type": type } });
    const read = readUsage(given, (usage) => void told.push(usage));
    expect([name, read.status, await read.text()]).toEqual([name, 201, body]);
    expect([name, ...told]).toEqual([name, usage]);
  }
});

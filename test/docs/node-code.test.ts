import { afterAll, expect, test } from "vitest";

import { codeBlocks } from "../support/docs/code-blocks.ts";
import { writeBlocks } from "../support/docs/typed-blocks.ts";

// Its servers run in test/first-steps.
const blocks = codeBlocks("docs/node.md").filter(({ language }) => language === "ts");
const typed = writeBlocks("node", [
  ...blocks,
  {
    language: "ts",
    line: 0,
    code: `import type { Response } from "express";
import type { FastifyRequest } from "fastify";

export const reasonsOf = (response: Response, request: FastifyRequest): string[] => [
  response.locals.rateLimit.reason,
  request.rateLimit.reason,
];
// @ts-expect-error It is typed.
export const wrong = (response: Response): number => response.locals.rateLimit.reason;
`,
  },
]);
afterAll(typed.remove);

test("what docs/node.md declares types the decisions of both frameworks", async () => {
  expect(blocks).toHaveLength(2);
  await typed.check();
});

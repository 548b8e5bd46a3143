import fc from "fast-check";
import { expect, test } from "vitest";

import { SHAPES, type Shape } from "../support/llm/shapes.ts";
import { runs } from "../support/runs.ts";
import { booked } from "./booked.ts";
import { bytesOf } from "./streamed.ts";

/** A body as pieces that a network or a provider may lose, send again, or send in another order. */
interface Pieces {
  readonly shape: Shape;
  readonly pieces: readonly string[];
  readonly glue: string;
}

function piecesOf(shape: Shape): readonly Pieces[] {
  const { body, type } = shape;
  if (typeof body !== "string" || shape.headers) return [];
  if (type.includes("event-stream")) return [{ shape, pieces: body.split("\n\n"), glue: "\n\n" }];
  if (type.includes("ndjson")) return [{ shape, pieces: body.split("\n"), glue: "\n" }];
  return [{ shape, pieces: [body], glue: "" }];
}

const BODIES = SHAPES.flatMap(piecesOf);

/** The names of the numbers without which no usage is whole. */
const NUMBERS =
  /"(?:prompt_tokens|completion_tokens|output_tokens|promptTokenCount|inputTokens|outputTokens|total_input_tokens|total_output_tokens|prompt_eval_count|eval_count)": ?\d+,?/g;

test("whatever is missing, moved, sent again or cut off, a hold pays the bill or its reservation", async () => {
  const indexes = fc.array(fc.nat(50), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...BODIES),
      fc.record({ lost: indexes, again: indexes, moved: indexes }),
      fc.option(fc.nat(5_000)),
      fc.option(fc.nat(9)),
      fc.integer({ min: 1, max: 90_000 }),
      async ({ shape, pieces, glue }, { lost, again, moved }, end, removed, reserved) => {
        let left = pieces.length > 1 ? pieces.filter((_, i) => !lost.includes(i)) : pieces;
        left = left.concat(again.flatMap((at) => pieces.slice(at, at + 1)));
        for (const at of moved) left = [...left.slice(at), ...left.slice(0, at)];
        let text = left.join(glue);
        // Cohere tells its numbers twice, and bills the smaller ones.
        if (removed !== null && !shape.name.includes("Cohere")) {
          let seen = 0;
          text = text.replace(NUMBERS, (number) => (seen++ === removed ? "" : number));
        }
        const bytes = bytesOf(text);
        const sent = bytes.subarray(0, end ?? bytes.length);
        const headers = { "Content-Type": shape.type };
        const paid = await booked(new Response(sent, { headers }), reserved);
        expect(paid, text).toBeGreaterThanOrEqual(Math.min(shape.usage.totalTokens, reserved));
      },
    ),
    { numRuns: runs(3_000) },
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";

import { SHAPES } from "../support/llm/shapes.ts";
import { runs } from "../support/runs.ts";
import { documentsOf, objectsIn } from "./documents.ts";
import { type Fields, greatestReading, usagesIn } from "./readings.ts";
import { cut, readThrough, streamed } from "./streamed.ts";

const TEXTS = SHAPES.filter(({ body }) => typeof body === "string")
  .map(documentsOf)
  .filter(({ documents }) => documents.flatMap(usagesIn).length > 0);

type Change = (object: Record<string, unknown>, name: string) => void;

/** A number in any spelling: put into the text as it is. */
const spelt = (text: string) => `@${text}@`;

const SPELLINGS: readonly ((number: number) => string)[] = [
  (number) => `${number}.0`,
  (number) => `${number}e0`,
  (number) => `${number}00E-2`,
  (number) => `${number / 10}e+1`,
  (number) => `${number}.25`,
  (number) => `${number}${"0".repeat(30)}e-30`,
];

const UNREADABLE = ["-5", '"7"', '"a"', "true", "null", "{}", "[]", "NaN", "1e", "-0.5"];

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant<Change>((object, name) => void delete object[name]),
  fc.constantFrom("x_tokens", "count", "tokens").map<Change>((name) => (object, old) => {
    object[name] = object[old];
    delete object[old];
  }),
  fc.constantFrom(...SPELLINGS).map<Change>((spell) => (object, name) => {
    if (typeof object[name] === "number") object[name] = spelt(spell(object[name]));
  }),
  fc.constantFrom(...UNREADABLE).map<Change>((text) => (object, name) => {
    object[name] = spelt(text);
  }),
  fc.nat(90_000).map<Change>((number) => (object, name) => void (object[name] = number)),
  fc.constantFrom("1e300", "1e999", "9007199254740993").map<Change>((text) => (object, name) => {
    object[name] = spelt(text);
  }),
  fc.constant<Change>((object, name) => {
    const moved = object[name];
    delete object[name];
    object[name] = moved;
  }),
);

const textOf = (document: Fields) =>
  JSON.stringify(document).replace(
    /"@((?:[^@\\]|\\.)*)@"/g,
    (_all, text: string) => JSON.parse(`"${text}"`) as string,
  );

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

test("a usage is never booked at less than the most that it can be taken for, whatever a provider does to it", async () => {
  const changes = fc.array(fc.tuple(change, fc.nat(), fc.nat()), { minLength: 1, maxLength: 3 });
  const order = fc.constantFrom("same", "twice", "reversed");
  const positions = fc.array(fc.nat(3_000), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TEXTS),
      changes,
      order,
      positions,
      async ({ documents, encode, shape }, made, ordered, drawn) => {
        const changed = structuredClone(documents);
        const objects = changed.flatMap(usagesIn).flatMap(objectsIn);
        for (const [apply, object, field] of made) {
          const chosen = objects[object % objects.length]!;
          const names = Object.keys(chosen);
          if (names.length > 0) apply(chosen, names[field % names.length]!);
        }
        let texts = changed.map(textOf);
        if (ordered === "twice" && texts.length > 1) texts = [...texts, ...texts];
        if (ordered === "reversed") texts = texts.toReversed();
        const bytes = encode(texts);
        const chunks = cut(
          bytes,
          drawn.filter((at) => at < bytes.length).sort((a, b) => a - b),
        );
        const { told } = await readThrough(streamed(chunks, shape.type));
        const most = greatestReading(texts.map(parsed).flatMap(usagesIn));
        expect(told[0]?.totalTokens ?? 0, shape.name).toBeGreaterThanOrEqual(most);
      },
    ),
    { numRuns: runs(5_000) },
  );
});

test("a usage with a number that cannot be read is never complete, whichever it is", async () => {
  let made = 0;
  for (const { documents, encode, shape } of TEXTS) {
    for (const [at, document] of documents.entries()) {
      for (const [place, usage] of usagesIn(document).entries()) {
        const fields = Object.entries(usage).filter(
          ([field, value]) => typeof value === "number" && /tokens$|count$/i.test(field),
        );
        for (const [field] of fields) {
          for (const text of UNREADABLE.filter((each) => each !== "null")) {
            const changed = structuredClone(documents);
            Object.assign(usagesIn(changed[at])[place]!, { [field]: spelt(text) });
            const { told } = await readThrough(streamed([encode(changed.map(textOf))], shape.type));
            made++;
            expect([shape.name, field, text, told[0]?.complete ?? false]).toEqual([
              shape.name,
              field,
              text,
              false,
            ]);
          }
        }
      }
    }
  }
  expect(made).toBeGreaterThan(1_000);
});

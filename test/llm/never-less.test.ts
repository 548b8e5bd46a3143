import { gzipSync } from "node:zlib";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { readBatch } from "../../src/llm.ts";
import { createPrices } from "../../src/prices.ts";
import { type Shape, SHAPES } from "../support/llm/shapes.ts";
import { runs, some } from "../support/runs.ts";
import { booked } from "./booked.ts";
import { type Documents, documentsOf, objectsIn } from "./documents.ts";
import { usagesIn } from "./readings.ts";
import { cut, everywhere, readThrough, streamed } from "./streamed.ts";

beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const BODIES = SHAPES.map(documentsOf);

/** Cohere bills less than it processes, and tells both numbers. */
const billOf = ({ name, usage }: Shape) => (name.includes("Cohere") ? 17 + 96 : usage.totalTokens);

/** What a hold pays whose reservation is the bill: it is kept unless the usage is complete. */
async function paid({ shape }: Documents, bytes: Uint8Array, positions: readonly number[] = []) {
  const given = streamed(cut(bytes, positions), shape.type, shape.headers);
  const [usage] = (await readThrough(given)).told;
  const told = usage?.totalTokens ?? 0;
  return usage?.complete ? told : Math.max(told, billOf(shape));
}

type Change = (name: string, value: number) => string;

/** What a provider may do to a number. */
const CHANGES: readonly (readonly [what: string, change: Change])[] = [
  ["removed", () => ""],
  ["renamed", (_name, value) => `"x_tokens":${value}`],
  ["a text", (name, value) => `"${name}":"${value}"`],
  ["a word", (name) => `"${name}":"many"`],
  ["with a fraction", (name, value) => `"${name}":${value}.25`],
  ["with an exponent", (name, value) => `"${name}":${value}00E-2`],
  ["negative", (name, value) => `"${name}":-${value}`],
  ["huge", (name) => `"${name}":1e300`],
  ["beyond any number", (name) => `"${name}":1e999`],
  ["NaN", (name) => `"${name}":NaN`],
  ["null", (name) => `"${name}":null`],
  ["true", (name) => `"${name}":true`],
  ["a list", (name, value) => `"${name}":[${value}]`],
  ["an object", (name, value) => `"${name}":{"value":${value}}`],
  ["twice, smaller before", (name, value) => `"${name}":0,"${name}":${value}`],
  ["twice, smaller after", (name, value) => `"${name}":${value},"${name}":0`],
  [
    "behind an escape",
    (name, value) => `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}":${value}`,
  ],
];

/** Every number of a body, changed in this way: its name, and the documents. */
function* changedBy({ documents }: Documents, change: Change) {
  for (const [at, document] of documents.entries()) {
    for (const [place, usage] of usagesIn(document).entries()) {
      for (const [part, object] of objectsIn(usage).entries()) {
        for (const [name, value] of Object.entries(object)) {
          if (!Number.isInteger(value) || value === 0) continue;
          const changed = structuredClone(documents);
          objectsIn(usagesIn(changed[at])[place]!)[part]![name] = "@";
          const text = JSON.stringify(changed[at]).replace(
            `"${name}":"@"`,
            change(name, Number(value)),
          );
          const texts = documents.map((each) => JSON.stringify(each));
          texts[at] = text.replace("{,", "{").replace(",}", "}").replace(",,", ",");
          yield [name, texts] as const;
        }
      }
    }
  }
}

/** The documents of a body with one number changed, if it has any. */
function changedTexts(body: Documents, change: Change, number: number): readonly string[] {
  const variants = [...changedBy(body, change)];
  const texts = body.documents.map((document) => JSON.stringify(document));
  return variants[number % variants.length]?.[1] ?? texts;
}

describe("whatever a provider does to any one number, a hold pays the bill or its reservation:", () => {
  test.for(CHANGES)("%s", async ([, change]) => {
    const less: string[] = [];
    let made = 0;
    for (const body of BODIES) {
      for (const [name, texts] of changedBy(body, change)) {
        made++;
        if ((await paid(body, body.encode(texts))) < billOf(body.shape))
          less.push(`${body.shape.name}: ${name}`);
      }
    }
    expect(less).toEqual([]);
    expect(made).toBeGreaterThan(250);
  });
});

/** A table in which each part has a price of its own. */
const PRICED = {
  input: 10,
  output: 40,
  cached: 1,
  cacheWrite: 12,
  cacheWriteHour: 20,
  audioInput: 30,
  audioOutput: 80,
  search: 10_000,
  container: 30_000,
};
const models = SHAPES.flatMap(({ usage }) => usage.models ?? []);
const { price } = createPrices({
  prices: {
    date: "2026-11-05",
    models: Object.fromEntries(["own", ...models].map((name) => [name, PRICED])),
  },
});
const priceOf = price("own");

/** Numbers of fees and of dearer parts, which are left out where they are 0. */
const IN_MONEY = /num_|^count$|connectors|web_search$|audio|write|1h|^inputTokens$/;

/** Cheaper parts, of which a fraction of a token is none of the bill. */
const CHEAPER = /cache/i;

describe("whatever a provider does to any one number, the money is that of the bill or the reservation:", () => {
  test.for(CHANGES)("%s", async ([what, change]) => {
    const less: string[] = [];
    for (const body of BODIES.filter(({ shape }) => !shape.name.includes("Cohere"))) {
      const { shape, encode } = body;
      const bill = priceOf(shape.usage);
      for (const [name, texts] of changedBy(body, change)) {
        if (IN_MONEY.test(name) && ["removed", "renamed", "null"].includes(what)) continue;
        if (CHEAPER.test(name) && what === "with a fraction") continue;
        const given = streamed([encode(texts)], shape.type, shape.headers);
        const [usage] = (await readThrough(given)).told;
        const told = usage ? priceOf(usage) : 0;
        if ((usage?.complete ? told : Math.max(told, bill)) < bill) {
          less.push(`${shape.name}: ${name}`);
        }
      }
    }
    expect(less).toEqual([]);
  });
});

describe("whatever a provider does to any one number of a batch, it is not taken for less:", () => {
  const wrap = [
    (body: string) =>
      `{"custom_id":"a","response":{"status_code":200,"body":${body}},"error":null}`,
    (body: string) => `{"custom_id":"a","result":{"type":"succeeded","message":${body}}}`,
    (body: string) => `{"key":"a","response":${body}}`,
    (body: string) => `{"recordId":"a","modelInput":{"max_tokens":1},"modelOutput":${body}}`,
  ];
  const whole = BODIES.filter(
    ({ shape, documents }) =>
      shape.type === "application/json" &&
      documents.length === 1 &&
      !shape.headers &&
      !String(shape.body).startsWith("["),
  );
  test.for(CHANGES)("%s", async ([, change]) => {
    const less: string[] = [];
    for (const body of whole) {
      for (const [name, [text]] of changedBy(body, change)) {
        for (const [form, line] of wrap.entries()) {
          try {
            for await (const { usage } of readBatch(new Response(line(text!)))) {
              const bill = billOf(body.shape);
              const isLess = !usage || (usage.complete && usage.totalTokens < bill);
              if (isLess) less.push(`${body.shape.name}: ${name} in form ${form}`);
            }
          } catch (error) {
            // A line that is no JSON is told as one.
            expect(error).toBeInstanceOf(SyntaxError);
          }
        }
      }
    }
    expect(less).toEqual([]);
  });
});

/** What may happen to a body's bytes on their way. */
const WAYS: readonly (readonly [what: string, change: (text: string) => string | Uint8Array])[] = [
  ["lines that end in CR LF", (text) => text.replaceAll("\n", "\r\n")],
  ["lines that end in CR", (text) => text.replaceAll("\n", "\r")],
  ["a byte order mark", (text) => `\uFEFF${text}`],
  ["compressed", (text) => gzipSync(text)],
  ["twice", (text) => text + text],
  ["indented", (text) => text.replaceAll("{", "{ \t").replaceAll(":", " : ")],
];

describe("however a body arrives, a hold pays the bill or its reservation:", () => {
  test.for(WAYS)("%s", async ([, change]) => {
    for (const body of BODIES.filter(({ shape }) => typeof shape.body === "string")) {
      const changed = new Uint8Array(Buffer.from(change(body.shape.body as string)));
      for (const positions of [[], everywhere(changed)]) {
        expect(await paid(body, changed, positions), body.shape.name).toBeGreaterThanOrEqual(
          billOf(body.shape),
        );
      }
    }
  });

  test("cut off after any byte", async () => {
    for (const body of BODIES) {
      const whole = body.encode(body.documents.map((each) => JSON.stringify(each)));
      for (const end of some(everywhere(whole))) {
        const what = `${body.shape.name} cut off after ${end}`;
        expect(await paid(body, whole.subarray(0, end)), what).toBeGreaterThanOrEqual(
          billOf(body.shape),
        );
      }
    }
  });
});

test("whatever is missing, moved, sent again or cut off at once, a hold pays the bill or its reservation", async () => {
  const indexes = fc.array(fc.nat(50), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...BODIES),
      fc.constantFrom<Change>(
        (name, value) => `"${name}":${value}`,
        ...CHANGES.map(([, each]) => each),
      ),
      fc.record({ lost: indexes, again: indexes, moved: indexes }),
      fc.record({ number: fc.nat(), end: fc.option(fc.nat(5_000)) }),
      fc.integer({ min: 1, max: 90_000 }),
      async (body, change, { lost, again, moved }, { number, end }, reserved) => {
        const { shape } = body;
        const texts = changedTexts(body, change, number);
        let left = texts.length > 1 ? texts.filter((_, i) => !lost.includes(i)) : texts;
        left = left.concat(again.flatMap((at) => texts.slice(at, at + 1)));
        for (const at of moved) left = [...left.slice(at), ...left.slice(0, at)];
        const bytes = body.encode(left);
        const headers = { ...shape.headers, "Content-Type": shape.type };
        const sent = bytes.subarray(0, end ?? bytes.length);
        const paidBy = await booked(new Response(sent, { headers }), reserved);
        expect(paidBy, shape.name).toBeGreaterThanOrEqual(Math.min(billOf(shape), reserved));
      },
    ),
    { numRuns: runs(3_000) },
  );
});

import { json } from "@codemirror/lang-json";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";

import { excerptAt } from "../../packages/dashboard/src/code/excerpt.ts";
import { propose } from "../../packages/dashboard/src/code/schema-help.ts";

const ruleOf = (i: number) => ({
  path: `/api/resource-${i}/*`,
  partition: ["header:x-user-id", ["ip", "country"]],
  policies: [
    { algorithm: "token-bucket", name: `p${i}`, limit: 20, refill: 10, per: "1s" },
    { algorithm: "fixed-window", name: `q${i}`, limit: 20, window: "1h", mode: "" },
  ],
});

function documentOf(rules: number): string {
  const document = {
    rules: Array.from({ length: rules }, (_, i) => ruleOf(i)),
    plans: { gold: { p0: { limit: 200 } } },
    lists: { deny: Array.from({ length: rules * 10 }, (_, i) => ({ cidr: `10.0.${i}.0/24` })) },
  };
  return JSON.stringify(document, undefined, 2);
}

/** An editor's state with a text that is parsed to its end. */
function stateOf(text: string): EditorState {
  const state = EditorState.create({ doc: text, extensions: [json()] });
  expect(ensureSyntaxTree(state, text.length, 60_000)).not.toBe(null);
  return state;
}

async function proposedAt(text: string, offset: number) {
  const { items, word, rest } = await propose({ text, offset });
  return { labels: items.map(({ label }) => label), word, rest };
}

/** The proposals from the text around a place, and those from all of it. */
async function compareAt(state: EditorState, place: number) {
  const excerpt = excerptAt(state, place)!;
  return {
    whole: await proposedAt(state.doc.toString(), place),
    around: await proposedAt(excerpt.text, excerpt.offset),
  };
}

test("the text around a place has the same proposals as the whole text", async () => {
  const state = stateOf(documentOf(3));
  let proposed = 0;
  for (let place = 0; place <= state.doc.length; place++) {
    const { whole, around } = await compareAt(state, place);
    expect([place, around]).toEqual([place, whole]);
    if (whole.labels.length > 0) proposed++;
  }
  expect(proposed).toBeGreaterThan(200);
});

test("so it has at the end of a text that is still being written", async () => {
  const text = documentOf(3);
  for (let end = 0; end <= text.length; end++) {
    const { whole, around } = await compareAt(stateOf(text.slice(0, end)), end);
    expect([text.slice(0, end).slice(-40), around]).toEqual([text.slice(0, end).slice(-40), whole]);
  }
});

test("of a thousand rules as much is read as of one", () => {
  const text = documentOf(1_000);
  const state = stateOf(text);
  const places = [
    text.indexOf('"name": "p777"') + 9,
    text.indexOf('"10.0.5000.0/24"') + 3,
    text.indexOf('"gold"') + 1,
    3,
    text.length,
  ];
  const lengths = places.map((place) => excerptAt(state, place)!.text.length);
  expect(text.length).toBeGreaterThan(500_000);
  expect(Math.max(...lengths)).toBeLessThan(1_000);
});

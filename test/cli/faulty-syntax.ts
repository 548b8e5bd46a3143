import type { FaultyFile } from "./faulty-file.ts";

const POLICY = '{ "algorithm": "token-bucket", "limit": 20, "refill": 10, "per": "1s" }';

/** JSON that cannot be read. */
export const FAULTY_SYNTAX: readonly FaultyFile[] = [
  {
    title: "an empty file",
    file: "rules.json",
    text: "",
    faults: ["1:1: Write a value here."],
  },
  {
    title: "a file of comments alone",
    file: "rules.json",
    text: "// nothing yet\n",
    faults: ["2:1: Write a value here."],
  },
  {
    title: "a list instead of an object",
    file: "rules.json",
    text: `[${POLICY}]`,
    faults: ['1:1: Give a document: { "rules"'],
  },
  {
    title: "null",
    file: "rules.json",
    text: "null",
    faults: ['1:1: Give a document: { "rules"'],
  },
  {
    title: "a name twice",
    file: "rules.json",
    text: `{ "rules": [{ "path": "/a", "policies": [${POLICY}] }],\n  "rules": [{ "path": "/b", "policies": [${POLICY}] }] }`,
    faults: ["2:3: This name stands here twice, and only the last would count: leave one out."],
  },
  {
    title: "a text that does not end",
    file: "rules.json",
    text: '{\n  "rules": [{ "path": "/a }]\n}',
    faults: ["2:23: End the text with a double quote on the same line."],
  },
  {
    title: "a comma that is missing",
    file: "rules.json",
    text: '{\n  "version": 3\n  "rules": []\n}',
    faults: ["3:3: Write a comma before this."],
  },
  {
    title: "a colon that is missing",
    file: "rules.json",
    text: '{ "version" 3 }',
    faults: ["1:13: Write a colon between a name and its value."],
  },
  {
    title: "single quotes",
    file: "rules.json",
    text: "{ 'rules': [] }",
    faults: ["1:3: Write text in double quotes; without them only true, false and null are words."],
  },
  {
    title: "a bracket that is not closed",
    file: "rules.json",
    text: '{ "rules": [\n',
    faults: ["2:1: Close the list with ]."],
  },
  {
    title: "something after the end",
    file: "rules.json",
    text: `{ "rules": [{ "path": "/a", "policies": [${POLICY}] }] }\n}`,
    faults: ["2:1: Leave this out: the document has ended before it."],
  },
  {
    title: "more levels than a parser can follow",
    file: "rules.json",
    text: "[".repeat(200_000),
    faults: ["1:1: Nest objects and lists at most 64 deep."],
  },
  {
    title: "more levels than a document has",
    file: "rules.json",
    text: `{ "rules": ${"[".repeat(64)}${"]".repeat(64)} }`,
    faults: ["1:1: Nest objects and lists at most 64 deep."],
  },
  {
    title: "as many levels as are read",
    file: "rules.json",
    text: `{ "rules": ${"[".repeat(63)}${"]".repeat(63)} }`,
    faults: ["1:13: rules[0]"],
  },
];

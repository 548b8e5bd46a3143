import { type FaultyFile, faultyIn } from "./faulty-file.ts";

const faulty = faultyIn("rules.json");
const POLICY = '{ "algorithm": "token-bucket", "limit": 20, "refill": 10, "per": "1s" }';

/** JSON that cannot be read. */
export const FAULTY_SYNTAX: readonly FaultyFile[] = [
  faulty("an empty file", "", "1:1: Write a value here."),
  faulty("a file of comments alone", "// nothing yet\n", "2:1: Write a value here."),
  faulty("a list instead of an object", `[${POLICY}]`, '1:1: Give a document: { "rules"'),
  faulty("null", "null", '1:1: Give a document: { "rules"'),
  faulty(
    "a name twice",
    `{ "rules": [{ "path": "/a", "policies": [${POLICY}] }],\n  "rules": [{ "path": "/b", "policies": [${POLICY}] }] }`,
    "2:3: This name stands here twice, and only the last would count: leave one out.",
  ),
  faulty(
    "a text that does not end",
    '{\n  "rules": [{ "path": "/a }]\n}',
    "2:23: End the text with a double quote on the same line.",
  ),
  faulty(
    "a comma that is missing",
    '{\n  "version": 3\n  "rules": []\n}',
    "3:3: Write a comma before this.",
  ),
  faulty(
    "a colon that is missing",
    '{ "version" 3 }',
    "1:13: Write a colon between a name and its value.",
  ),
  faulty(
    "single quotes",
    "{ 'rules': [] }",
    "1:3: Write text in double quotes; without them only true, false and null are words.",
  ),
  faulty("a bracket that is not closed", '{ "rules": [\n', "2:1: Close the list with ]."),
  faulty(
    "something after the end",
    `{ "rules": [{ "path": "/a", "policies": [${POLICY}] }] }\n}`,
    "2:1: Leave this out: the document has ended before it.",
  ),
  faulty(
    "more levels than a parser can follow",
    "[".repeat(200_000),
    "1:1: Nest objects and lists at most 64 deep.",
  ),
  faulty(
    "more levels than a document has",
    `{ "rules": ${"[".repeat(64)}${"]".repeat(64)} }`,
    "1:1: Nest objects and lists at most 64 deep.",
  ),
  faulty(
    "as many levels as are read",
    `{ "rules": ${"[".repeat(63)}${"]".repeat(63)} }`,
    "1:13: rules[0]",
  ),
];

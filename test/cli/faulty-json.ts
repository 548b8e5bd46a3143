import type { FaultyFile } from "./faulty-file.ts";

const POLICY = '{ "algorithm": "token-bucket", "limit": 20, "refill": 10, "per": "1s" }';

/** JSON with values that the gateway would refuse. */
export const FAULTY_JSON: readonly FaultyFile[] = [
  {
    title: "no rules",
    file: "rules.json",
    text: '{ "version": 3 }',
    faults: ["1:1: rules: Give a list of 1 to 1000 rules. ("],
  },
  {
    title: "an empty list of rules",
    file: "rules.json",
    text: '{\n  "rules": []\n}',
    faults: ["2:3: rules: Give a list of 1 to 1000 rules. ("],
  },
  {
    title: "rules that are an object",
    file: "rules.json",
    text: '{\n  "rules": {}\n}',
    faults: ["2:3: rules: Give a list of 1 to 1000 rules. ("],
  },
  {
    title: "a misspelt name at the top",
    file: "rules.json",
    text: `{\n  "rules": [{ "path": "/a", "policies": [${POLICY}] }],\n  "plan": {}\n}`,
    faults: ["3:3: plan: Did you mean `plans`"],
  },
  {
    title: "a version that is text",
    file: "rules.json",
    text: `{ "version": "7",\n  "rules": [{ "path": "/a", "policies": [${POLICY}] }] }`,
    faults: [
      "1:3: version: Give the number of the version that this is based on, from 0, or leave it out.",
    ],
  },
  {
    title: "a misspelt name in a policy",
    file: "rules.json",
    text: `{\n  "rules": [\n    {\n      "path": "/a",\n      "policies": [\n        { "algorithm": "token-bucket", "limit": 20, "refil": 10, "per": "1s" }\n      ]\n    }\n  ]\n}`,
    faults: [
      "6:9: rules[0].policies[0].refill: Give a whole number from 1 to 1000000000",
      "6:53: rules[0].policies[0].refil: Did you mean `refill`",
    ],
  },
  {
    title: "a limit that is text",
    file: "rules.json",
    text: `{ "rules": [{ "path": "/a", "policies": [{ "algorithm": "fixed-window",\n  "limit": "20", "window": "1m" }] }] }`,
    faults: ["2:3: rules[0].policies[0].limit: Give a whole number from 1 to 9007199254740991"],
  },
  {
    title: "windows of a calendar",
    file: "rules.json",
    text: `{ "rules": [{ "path": "/a", "policies": [
  { "algorithm": "fixed-window", "name": "a", "limit": 5, "window": "month", "anchor": 32 },
  { "algorithm": "fixed-window", "name": "b", "limit": 5, "window": "week", "anchor": 8 },
  { "algorithm": "fixed-window", "name": "c", "limit": 5, "window": "day", "timeZone": "CEST" },
  { "algorithm": "fixed-window", "name": "d", "limit": 5, "window": "hour", "anchor": 30 },
  { "algorithm": "fixed-window", "name": "e", "limit": 5, "window": "30d", "timeZone": "UTC" },
  { "algorithm": "fixed-window", "name": "f", "limit": 5, "window": "year", "anchor": 1 },
  { "algorithm": "fixed-window", "name": "g", "limit": 5, "window": "month", "aligned": false },
  { "algorithm": "fixed-window", "name": "h", "limit": 5, "window": "month", "anchor": "2026-02-30T00:00:00Z" }
] }] }`,
    faults: [
      "2:78: rules[0].policies[0].anchor: Give a day of the month from 1 to 31, or a moment",
      "3:77: rules[0].policies[1].anchor: Give a day of the week from 1 to 7, or a moment",
      "4:76: rules[0].policies[2].timeZone: Give the IANA name of a time zone",
      "5:77: rules[0].policies[3].anchor: Give a moment",
      "6:76: rules[0].policies[4].timeZone: Only windows of a calendar have it",
      '7:59: rules[0].policies[5].window: Use "month", "week", "day" or "hour"',
      "8:78: rules[0].policies[6].aligned: Leave it out",
      "9:78: rules[0].policies[7].anchor: Give a day of the month from 1 to 31, or a moment",
    ],
  },
  {
    title: "an unknown algorithm",
    file: "rules.json",
    text: `{ "rules": [{ "path": "/a", "policies": [\n  { "algorithm": "tokenbucket", "limit": 20 }] }] }`,
    faults: [
      "2:3: rules[0].policies[0].refill: Give a whole number from 1 to 1000000000",
      '2:3: rules[0].policies[0].per: Give a time with its unit (ms, s, m, h or d) from "1ms" to "366d"',
      '2:5: rules[0].policies[0].algorithm: Did you mean "token-bucket"',
    ],
  },
  {
    title: "a path without a slash",
    file: "rules.json",
    text: `{ "rules": [\n  { "path": "rides", "policies": [${POLICY}] }] }`,
    faults: ['2:5: rules[0].path: Begin with "/"'],
  },
  {
    title: "a second rule that is a number",
    file: "rules.json",
    text: `{ "rules": [{ "path": "/a", "policies": [${POLICY}] },\n 7] }`,
    faults: [
      "2:2: rules[1]: A rule is a table of method, path, policies, partition, onMissing, cost, plan, onFail",
    ],
  },
  {
    title: "a source that does not exist",
    file: "rules.json",
    text: `{ "rules": [{ "path": "/a",\n  "partition": ["ip", "headr:x"],\n  "policies": [${POLICY}] }] }`,
    faults: ["2:23: rules[0].partition[1]: Did you mean `header`"],
  },
  {
    title: "two rules with a policy of one name",
    file: "rules.json",
    text: `{ "rules": [\n  { "path": "/a", "policies": [{ "name": "x", "algorithm": "fixed-window", "limit": 1, "window": "1m" }] },\n  { "path": "/b", "policies": [{ "name": "x", "algorithm": "fixed-window", "limit": 1, "window": "1m" }] }\n] }`,
    faults: ["3:34: rules[1].policies[0].name: A policy of rules[0] has this name, too (* /a)"],
  },
  {
    title: "a plan for a policy that does not exist",
    file: "rules.json",
    text: `{\n  "rules": [{ "path": "/a", "plan": "header:x-plan", "policies": [{ "name": "a", "algorithm": "fixed-window", "limit": 1, "window": "1m" }] }],\n  "plans": {\n    "gold.eu": { "b": { "limit": 2 } }\n  }\n}`,
    faults: ["4:18: plans.gold.eu.b: Did you mean `a`"],
  },
  {
    title: "an entry of a list that is no address",
    file: "rules.json",
    text: `{ "rules": [{ "path": "/a", "policies": [${POLICY}] }],\n  "lists": { "deny": [{ "cidr": "203.0.113.7" },\n    { "cidr": "203.0.113.300" }] } }`,
    faults: ["3:7: lists.deny[1].cidr: Give an address or a range of addresses"],
  },
  {
    title: "a byte order mark and CRLF",
    file: "rules.json",
    text: '\uFEFF{\r\n  "rules": 5\r\n}\r\n',
    faults: ["2:3: rules: Give a list of 1 to 1000 rules. ("],
  },
  {
    title: "a comment and a trailing comma before the fault",
    file: "rules.jsonc",
    text: `{\n  // Rides cost most.\n  "rules": [\n    { "path": "/a", /* all methods */ "policies": [${POLICY},], "cost": -1 },\n  ],\n}`,
    faults: [
      "4:127: rules[0].cost: Give a whole number of units from 0, or a table with one for each of some poli",
    ],
  },
  {
    title: "variables of an environment",
    file: "wrangler.jsonc",
    text: `{\n  // Staging alone is wrong.\n  "name": "gateway",\n  "vars": { "RULES": [{ "path": "/a", "policies": [${POLICY}] }] },\n  "env": { "staging": { "vars": {\n    "RULES": [{ "path": "a", "policies": [${POLICY}] }] } } }\n}`,
    faults: ['6:17: env.staging.vars.RULES[0].path: Begin with "/"'],
  },
  {
    title: "a wrangler file without rules",
    file: "wrangler.json",
    text: '{ "name": "gateway", "vars": { "ORIGIN": "zone" } }',
    faults: [
      "1:22: vars.RULES: There are no rules here: give them as RULES below vars, in TOML as tables [[vars.R",
    ],
  },
];

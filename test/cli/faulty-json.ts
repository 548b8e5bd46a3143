import { type FaultyFile, faultyIn } from "./faulty-file.ts";

const faulty = faultyIn("rules.json");
const POLICY = '{ "algorithm": "token-bucket", "limit": 20, "refill": 10, "per": "1s" }';

/** JSON with values that the gateway would refuse. */
export const FAULTY_JSON: readonly FaultyFile[] = [
  faulty("no rules", '{ "version": 3 }', "1:1: rules: Give a list of 1 to 1000 rules. ("),
  faulty(
    "a misspelt name at the top",
    `{\n  "rules": [{ "path": "/a", "policies": [${POLICY}] }],\n  "plan": {}\n}`,
    "3:3: plan: Did you mean `plans`",
  ),
  faulty(
    "a misspelt name in a policy",
    `{\n  "rules": [\n    {\n      "path": "/a",\n      "policies": [\n        { "algorithm": "token-bucket", "limit": 20, "refil": 10, "per": "1s" }\n      ]\n    }\n  ]\n}`,
    "6:9: rules[0].policies[0].refill: Give a whole number from 1 to 1000000000",
    "6:53: rules[0].policies[0].refil: Did you mean `refill`",
  ),
  faulty(
    "an unknown algorithm",
    `{ "rules": [{ "path": "/a", "policies": [\n  { "algorithm": "tokenbucket", "limit": 20 }] }] }`,
    "2:3: rules[0].policies[0].refill: Give a whole number from 1 to 1000000000",
    '2:3: rules[0].policies[0].per: Give a time with its unit (ms, s, m, h or d) from "1ms" to "366d"',
    '2:5: rules[0].policies[0].algorithm: Did you mean "token-bucket"',
  ),
  faulty(
    "a second rule that is a number",
    `{ "rules": [{ "path": "/a", "policies": [${POLICY}] },\n 7] }`,
    "2:2: rules[1]: A rule is a table of method, path, policies, partition, onMissing, cost, plan, onFail",
  ),
  faulty(
    "a plan for a policy that does not exist",
    `{\n  "rules": [{ "path": "/a", "plan": "header:x-plan", "policies": [{ "name": "a", "algorithm": "fixed-window", "limit": 1, "window": "1m" }] }],\n  "plans": {\n    "gold.eu": { "b": { "limit": 2 } }\n  }\n}`,
    "4:18: plans.gold.eu.b: Did you mean `a`",
  ),
  faulty(
    "an entry of a list that is no address",
    `{ "rules": [{ "path": "/a", "policies": [${POLICY}] }],\n  "lists": { "deny": [{ "cidr": "203.0.113.7" },\n    { "cidr": "203.0.113.300" }] } }`,
    "3:7: lists.deny[1].cidr: Give an address or a range of addresses",
  ),
  faulty(
    "a byte order mark and CRLF",
    '\uFEFF{\r\n  "rules": 5\r\n}\r\n',
    "2:3: rules: Give a list of 1 to 1000 rules. (",
  ),
  faultyIn("rules.jsonc")(
    "a comment and a trailing comma before the fault",
    `{\n  // Rides cost most.\n  "rules": [\n    { "path": "/a", /* all methods */ "policies": [${POLICY},], "cost": -1 },\n  ],\n}`,
    "4:127: rules[0].cost: Give a whole number of units from 0, or one for each of some policies",
  ),
  faultyIn("wrangler.jsonc")(
    "variables of an environment",
    `{\n  // Staging alone is wrong.\n  "name": "gateway",\n  "vars": { "RULES": [{ "path": "/a", "policies": [${POLICY}] }] },\n  "env": { "staging": { "vars": {\n    "RULES": [{ "path": "a", "policies": [${POLICY}] }] } } }\n}`,
    '6:17: env.staging.vars.RULES[0].path: Begin with "/"',
  ),
  faultyIn("wrangler.json")(
    "a wrangler file without rules",
    '{ "name": "gateway", "vars": { "ORIGIN": "zone" } }',
    "1:22: vars.RULES: There are no rules here: give them as RULES below vars, in TOML as tables [[vars.R",
  ),
];

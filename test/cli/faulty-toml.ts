import type { FaultyFile } from "./faulty-file.ts";

const POLICY = '{ algorithm = "token-bucket", limit = 20, refill = 10, per = "1s" }';

/** TOML that cannot be read, or with values that the gateway would refuse. */
export const FAULTY_TOML: readonly FaultyFile[] = [
  {
    title: "a misspelt name in an array of tables",
    file: "wrangler.toml",
    text: `name = "gateway"\n\n[[vars.RULES]]\npath = "/a"\npolicys = [${POLICY}]\n`,
    faults: [
      "3:1: vars.RULES[0].policies: Give a list of 1 to 16 policies",
      "5:1: vars.RULES[0].policys: Did you mean `policies`",
    ],
  },
  {
    title: "the second table of two",
    file: "wrangler.toml",
    text: `[[vars.RULES]]\npath = "/a"\npolicies = [${POLICY}]\n\n[[vars.RULES]]\npath = "b"\npolicies = [${POLICY}]\n`,
    faults: [
      '6:1: vars.RULES[1].path: Begin with "/"',
      "7:13: vars.RULES[1].policies[0].name: A policy of RULES[0] has this name, too (* /a)",
    ],
  },
  {
    title: "a calendar with a day of TOML, which has no time",
    file: "wrangler.toml",
    text: `[[vars.RULES]]\npath = "/a"\npolicies = [\n  { algorithm = "fixed-window", limit = 5, window = "month", anchor = 2026-03-15 },\n]\n`,
    faults: [
      "4:62: vars.RULES[0].policies[0].anchor: Give a day of the month from 1 to 31, or a moment",
    ],
  },
  {
    title: "a number in an inline table",
    file: "wrangler.toml",
    text: `[[vars.RULES]]\npath = "/a"\npolicies = [\n  { algorithm = "token-bucket", limit = 0, refill = 10, per = "1s" },\n]\n`,
    faults: ["4:33: vars.RULES[0].policies[0].limit: Give a whole number from 1 to 1000000000"],
  },
  {
    title: "nested arrays of tables",
    file: "wrangler.toml",
    text: `[[vars.RULES]]\npath = "/a"\n[[vars.RULES.policies]]\nalgorithm = "fixed-window"\nlimit = 5\nwindow = "soon"\n`,
    faults: [
      '6:1: vars.RULES[0].policies[0].window: Give a time with its unit (ms, s, m, h or d) from "1ms" to "3',
    ],
  },
  {
    title: "a value that a table lacks",
    file: "wrangler.toml",
    text: `[[vars.RULES]]\npath = "/a"\n[[vars.RULES.policies]]\nalgorithm = "fixed-window"\nlimit = 5\n`,
    faults: [
      '3:1: vars.RULES[0].policies[0].window: Give a time with its unit (ms, s, m, h or d) from "1ms" to "3',
    ],
  },
  {
    title: "rules beside vars",
    file: "wrangler.toml",
    text: `[[RULES]]\npath = "/a"\npolicies = [${POLICY}]\n`,
    faults: [
      "1:1: vars.RULES: There are no rules here: give them as RULES below vars, in TOML as tables [[vars.RU",
    ],
  },
  {
    title: "rules as JSON in a text",
    file: "wrangler.toml",
    text: `[vars]\nORIGIN = "zone"\nRULES = '[{ "path": "a", "policies": [] }]'\n`,
    faults: [
      '3:1: vars.RULES[0].path: Begin with "/"',
      "3:1: vars.RULES[0].policies: Give a list of 1 to 16 policies",
    ],
  },
  {
    title: "a text of rules that is not JSON",
    file: "wrangler.toml",
    text: `[vars]\nRULES = "[{"\n`,
    faults: [
      "2:1: vars.RULES: Give a list of at least one rule: in wrangler.toml tables [[vars.RULES]], not [[RUL",
    ],
  },
  {
    title: "dotted and quoted keys",
    file: "wrangler.toml",
    text: `vars.CLIENT_IP = "cloudflair"\nvars."RULES" = [{ path = "/a", policies = [${POLICY}] }]\n`,
    faults: [
      '1:6: vars.CLIENT_IP: Use "cloudflare", "vercel", "socket" (not on Workers) or { trustedHops = 1 } (w',
    ],
  },
  {
    title: "a plan, an environment and a list",
    file: "wrangler.toml",
    text: `[[vars.RULES]]\npath = "/a"\npolicies = [${POLICY}]\n\n[[env.eu.vars.RULES]]\npath = "/a"\npolicies = [${POLICY}]\n[env.eu.vars.LISTS]\ndeny = [{ country = "ch" }]\n[env.eu.vars.PLANS.gold]\nrides = { limit = 2 }\n`,
    faults: [
      "9:11: env.eu.vars.LISTS.deny[0].country: Give two capitals of ISO 3166-1",
      "11:1: env.eu.vars.PLANS.gold.rides: Use the name of a policy: token-bucket-20-10-per-1s.",
    ],
  },
  {
    title: "a moment without a time zone",
    file: "wrangler.toml",
    text: `[[vars.RULES]]\npath = "/a"\npolicies = [${POLICY}]\n[[vars.LISTS.deny]]\ncidr = "203.0.113.7"\nuntil = 2027-01-01T00:00:00\n`,
    faults: ["6:1: vars.LISTS.deny[0].until: Give a moment with its time zone"],
  },
  {
    title: "a text that does not end",
    file: "wrangler.toml",
    text: '[[vars.RULES]]\npath = "/a\n',
    faults: ["2:11: This is not TOML: unterminated string constant."],
  },
  {
    title: "a value that is missing",
    file: "wrangler.toml",
    text: '[vars]\nORIGIN =\nSTORE = "memory"\n',
    faults: ["2:9: Write a value here."],
  },
  {
    title: "a name twice",
    file: "wrangler.toml",
    text: '[vars]\nORIGIN = "zone"\nORIGIN = "zone"\n',
    faults: ["3:1: This name stands here twice: leave one out."],
  },
  {
    title: "an inline table of two lines",
    file: "wrangler.toml",
    text: "[vars]\nPLANS = { gold = {\n  rides = { limit = 2 } } }\n",
    faults: [
      "3:3: This is not TOML: no newlines are allowed between the curly braces unless they are valid within",
    ],
  },
  {
    title: "a bracket too few",
    file: "wrangler.toml",
    text: '[[vars.RULES]\npath = "/a"\n',
    faults: ["2:1: This is not TOML: the key, equals sign, and value must be on the same line."],
  },
  {
    title: "more levels than a parser can follow",
    file: "wrangler.toml",
    text: `a = ${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    faults: ["1:1: Nest objects and lists at most 64 deep."],
  },
];

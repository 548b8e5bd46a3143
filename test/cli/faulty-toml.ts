import { type FaultyFile, faultyIn } from "./faulty-file.ts";

const faulty = faultyIn("wrangler.toml");
const POLICY = '{ algorithm = "token-bucket", limit = 20, refill = 10, per = "1s" }';

/** TOML that cannot be read, or with values that the gateway would refuse. */
export const FAULTY_TOML: readonly FaultyFile[] = [
  faulty(
    "a misspelt name in an array of tables",
    `name = "gateway"\n\n[[vars.RULES]]\npath = "/a"\npolicys = [${POLICY}]\n`,
    "3:1: vars.RULES[0].policies: Give a list of 1 to 16 policies",
    "5:1: vars.RULES[0].policys: Did you mean `policies`",
  ),
  faulty(
    "the second table of two",
    `[[vars.RULES]]\npath = "/a"\npolicies = [${POLICY}]\n\n[[vars.RULES]]\npath = "b"\npolicies = [${POLICY}]\n`,
    '6:1: vars.RULES[1].path: Begin with "/"',
    "7:13: vars.RULES[1].policies[0].name: A policy of rule [0] has this name, too (* /a)",
  ),
  faulty(
    "a calendar with a day of TOML, which has no time",
    `[[vars.RULES]]\npath = "/a"\npolicies = [\n  { algorithm = "fixed-window", limit = 5, window = "month", anchor = 2026-03-15 },\n]\n`,
    "4:62: vars.RULES[0].policies[0].anchor: Give a day of the month from 1 to 31, or a moment",
  ),
  faulty(
    "nested arrays of tables",
    `[[vars.RULES]]\npath = "/a"\n[[vars.RULES.policies]]\nalgorithm = "fixed-window"\nlimit = 5\nwindow = "soon"\n`,
    '6:1: vars.RULES[0].policies[0].window: Give a time with its unit (ms, s, m, h or d) from "1ms" to "3',
  ),
  faulty(
    "a value that a table lacks",
    `[[vars.RULES]]\npath = "/a"\n[[vars.RULES.policies]]\nalgorithm = "fixed-window"\nlimit = 5\n`,
    '3:1: vars.RULES[0].policies[0].window: Give a time with its unit (ms, s, m, h or d) from "1ms" to "3',
  ),
  faulty(
    "rules as JSON in a text",
    `[vars]\nORIGIN = "zone"\nRULES = '[{ "path": "a", "policies": [] }]'\n`,
    '3:1: vars.RULES[0].path: Begin with "/"',
    "3:1: vars.RULES[0].policies: Give a list of 1 to 16 policies",
  ),
  faulty(
    "a text of rules that is not JSON",
    `[vars]\nRULES = "[{"\n`,
    "2:1: vars.RULES: Give a list of at least one rule: in wrangler.toml tables [[vars.RULES]], not [[RUL",
  ),
  faulty(
    "dotted and quoted keys",
    `vars.CLIENT_IP = "cloudflair"\nvars."RULES" = [{ path = "/a", policies = [${POLICY}] }]\n`,
    '1:6: vars.CLIENT_IP: Use "cloudflare", "vercel", "socket" (not on Workers) or { "trustedHops": 1 }',
  ),
  faulty(
    "a plan, an environment and a list",
    `[[vars.RULES]]\npath = "/a"\npolicies = [${POLICY}]\n\n[[env.eu.vars.RULES]]\npath = "/a"\npolicies = [${POLICY}]\n[env.eu.vars.LISTS]\ndeny = [{ country = "ch" }]\n[env.eu.vars.PLANS.gold]\nrides = { limit = 2 }\n`,
    "9:11: env.eu.vars.LISTS.deny[0].country: Give two capitals of ISO 3166-1",
    "11:1: env.eu.vars.PLANS.gold.rides: Use the name of a policy: token-bucket-20-10-per-1s.",
  ),
  faulty(
    "stores of regions",
    `[vars]\nREGIONS = 1\n[vars.REGION_STORES]\nfra = { url = "https://fra.example" }\niad = { locationHint = "enam" }\n[[vars.RULES]]\npath = "/a"\npolicies = [${POLICY}]\n\n[[env.eu.vars.RULES]]\npath = "/a"\npolicies = [${POLICY}]\n[env.eu.vars.REGION_STORES]\neu = { locationHint = "weurope" }\n\n[env.eu.durable_objects]\nbindings = [{ name = "NEARBY", class_name = "TidegateRegion" }]\n`,
    "1:1: vars.NEARBY: Bind the class TidegateRegion under this name",
    "2:1: vars.REGIONS: Give 2 or more",
    "4:1: vars.REGION_STORES.fra.at: Give the latitude and longitude",
    '14:8: env.eu.vars.REGION_STORES.eu.locationHint: Use "wnam", "enam"',
  ),
  faulty(
    "a moment without a time zone",
    `[[vars.RULES]]\npath = "/a"\npolicies = [${POLICY}]\n[[vars.LISTS.deny]]\ncidr = "203.0.113.7"\nuntil = 2027-01-01T00:00:00\n`,
    "6:1: vars.LISTS.deny[0].until: Give a moment with its time zone",
  ),
  faulty(
    "a text that does not end",
    '[[vars.RULES]]\npath = "/a\n',
    "2:11: This is not TOML: unterminated string constant.",
  ),
  faulty(
    "a value that is missing",
    '[vars]\nORIGIN =\nSTORE = "memory"\n',
    "2:9: Write a value here.",
  ),
  faulty(
    "a name twice",
    '[vars]\nORIGIN = "zone"\nORIGIN = "zone"\n',
    "3:1: This name stands here twice: leave one out.",
  ),
  faulty(
    "an inline table of two lines",
    "[vars]\nPLANS = { gold = {\n  rides = { limit = 2 } } }\n",
    "3:3: This is not TOML: no newlines are allowed between the curly braces unless they are valid within",
  ),
  faulty(
    "a bracket too few",
    '[[vars.RULES]\npath = "/a"\n',
    "2:1: This is not TOML: the key, equals sign, and value must be on the same line.",
  ),
  faulty(
    "more levels than a parser can follow",
    `a = ${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    "1:1: Nest objects and lists at most 64 deep.",
  ),
];

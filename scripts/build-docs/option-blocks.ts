import { wrapWords } from "../support/wrap-words.ts";
import type { MadeValue } from "./function.ts";
import type { Option } from "./interface.ts";

/** The longest line of a document. */
const WIDTH = 120;

/**
 * A heading for each option, so that links and the site's search find it, then its type, default and range in one line, then its
 * meaning.
 *
 * @throws Error naming the option whose docstring does not have the form that CONTRIBUTING.md describes
 */
export function optionBlocks(options: readonly Option[]): string {
  const blocks = options.map((option) => {
    const { meaning, range, standard } = partsOf(option);
    const given = standard === undefined ? "required" : `default ${standard}`;
    return block(option.name, [`\`${asReadersSay(option.type)}\``, given, range], meaning);
  });
  return blocks.join("\n\n");
}

/** The same for functions that make values. */
export function functionBlocks(functions: readonly MadeValue[]): string {
  const blocks = functions.map(({ call, doc, parameters }) => {
    const parts = parameters.map((parameter) => ({
      name: parameter.name,
      ...PARAMETER.exec(parameter.doc)!.groups,
    })) as readonly ParameterParts[];
    const told = parts.flatMap(({ name, meaning }) =>
      meaning ? [`\`${name}\`: ${meaning.replace(/\.?$/, ".")}`] : [],
    );
    const allOf = (part: "range" | "standard") =>
      parts.flatMap((each) => each[part] ?? []).join("; ");
    const standard = allOf("standard");
    const facts = [`\`${asReadersSay(call)}\``, standard && `default ${standard}`, allOf("range")];
    return block(`${call.replace(/\(.*/, "")}()`, facts, [doc, ...told].join(" "));
  });
  return blocks.join("\n\n");
}

/** One heading, its facts in a line, and its meaning. */
export function block(name: string, facts: readonly string[], meaning: string): string {
  const paragraphs = [facts.filter(Boolean).join(" · "), meaning];
  return [`#### \`${name}\``, ...paragraphs.map((text) => wrapWords(text, WIDTH))].join("\n\n");
}

interface ParameterParts {
  readonly name: string;
  readonly meaning?: string;
  readonly range?: string;
  readonly standard?: string;
}

/** The meaning of a parameter, its range and its default; each may be absent. */
const PARAMETER =
  /^(?<meaning>.*?[^:])??(?: ?Range: (?<range>.+?))?(?:\.? ?Default: (?<standard>.+?))?\.?$/;

/** Types of the library by the words of a reader, who does not know them. */
const READERS_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Of\[\]$/, "Policy[]"],
  [/RedisEndpoint \| MadeBy<RedisMakers>/, "Redis"],
  [/MadeBy<"([^"]+)">/g, "$1"],
  [/\(\(typeof ASYMMETRIC\)\[number\] \| \(typeof SYMMETRIC\)\[number\]\)\[\]/, "string[]"],
  [/\(typeof HOOKS\)\[number\]/, '"onRequest" | "preParsing" | "preValidation" | "preHandler"'],
  [/\bContext<E>/g, "Context"],
  [/\bPlanOption<Context>/, "PlanOption"],
  [/^Readonly<Record<string, number>>$/, "{ [word]: number }"],
  [/\brequest: R\b/, "request: Request"],
  [/\bOwnAnswer\b/g, "Response | void"],
  [/^DialectName$/, '"upstash" | "redis"'],
  [/^DecisionListener$/, "(decision, { operation, identity }) => void"],
  [/^HeaderOptions$/, '{ "draft-11": boolean, "x-ratelimit": boolean }'],
  [/\bListEntry\b/, "object"],
  [/\boptions\?: OptimisticOptions/, "{ unsettled, above }"],
  [/\bplace\?: CalendarPlace/, "{ timeZone, anchor }"],
  [/\bentries: ListOptions/, "{ allow, deny }"],
  [/\boptions: RegionOptions/, "{ redis, store, name, term, credit, regions }"],
  [/\boptions: JwtOptions/, "{ jwks, issuer, audience }"],
  [/\blistener: NoticeListener/, "(decision, policy) => void"],
];

/** The type as a reader needs it: that of a value as the function that makes it. */
function asReadersSay(type: string): string {
  return READERS_WORDS.reduce((text, [ours, theirs]) => text.replace(ours, theirs), type);
}

/**
 * The parts of a docstring: the meaning, then `Range: ....` if values have one, then `Default: ....` if the option may
 * be left out. Tags such as `@example` are for editors only.
 */
function partsOf({ name, required, doc }: Option) {
  const text = doc
    .replace(/^@[^]*$/m, "")
    .replace(/\s+/g, " ")
    .trim();
  const match = /^(.+?\.)(?: Range: (.+?)\.)?(?: Default: (.+)\.)?$/.exec(text);
  const [, meaning, range = "", standard] = match ?? [];
  if (meaning === undefined || /(?:Range|Default): /.test(meaning)) {
    throw new Error(`${name}: write its meaning, then "Range: ....", then "Default: ...."`);
  }
  if ((standard === undefined) !== required) {
    throw new Error(
      required
        ? `${name} must be given, so that it has no default: drop "Default: ...."`
        : `${name} may be left out: end its docstring with "Default: ...."`,
    );
  }
  return { meaning, range, standard };
}

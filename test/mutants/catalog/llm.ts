import type { Written } from "../written.ts";

/** Usages and estimates. */
export const LLM: readonly Written[] = [
  {
    name: "a stream that broke off costs no more than the estimate, whatever it told",
    file: "src/llm/settle-by-usage.ts",
    find: "Math.max(least, toldOf(name))",
    replace: "least",
    tests: ["test/llm/settle-by-usage"],
  },
  {
    name: "the tokens of a usage count for every policy",
    file: "src/llm/settle-by-usage.ts",
    find: "names.length > 0 ?",
    replace: "names.length > 99 ?",
    tests: ["test/llm/settle-by-usage"],
  },
  {
    name: "an escaped quote ends a text of a response",
    file: "src/llm/usage-scanner.ts",
    find: "else if (byte === BACKSLASH) isEscaped = true;",
    replace: "else if (byte === BACKSLASH) isEscaped = false;",
    tests: ["test/llm/usage-scanner"],
  },
  {
    name: "a list may hold the usage",
    file: "src/llm/usage-scanner.ts",
    find: "else if (byte === OPEN_LIST) openNested();",
    replace: "else if (byte === OPEN_LIST) openValue();",
    tests: ["test/llm/usage-scanner"],
  },
  {
    name: "OpenAI's cached input is counted twice",
    file: "src/llm/usage.ts",
    find: "known.input_tokens === undefined || known.total_tokens !== undefined",
    replace: "known.input_tokens === undefined",
    tests: ["test/llm/usage-scanner"],
  },
  {
    name: "a hold ends at the first numbers of a stream that broke off",
    file: "src/llm/settle-by-usage.ts",
    find: "if (usage.complete) return told;",
    replace: "if (usage) return told;",
    tests: ["test/llm/settle-by-usage"],
  },
];

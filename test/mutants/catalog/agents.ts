import type { Written } from "../written.ts";

const TOOLS = "src/llm/limit-tools.ts";
const MODEL = "src/llm/limit-model.ts";
const JSON_RPC = "src/llm/json-rpc.ts";
const READINGS = ["test/llm/two-readings"];
const CALLS = ["test/llm/limit-tools"];
const MODELS = ["test/llm/limit-model"];

/** Limits of tools and models, and the usages by which they settle. */
export const AGENTS: readonly Written[] = [
  {
    name: "an invented tool has a quota of its own",
    file: TOOLS,
    find: "(tools?.includes(name) ?? true)",
    replace: "(tools?.includes(name) || true)",
    tests: CALLS,
  },
  {
    name: "a batch of calls passes as one",
    file: JSON_RPC,
    find: "if (second) return refusal(SEVERAL, id);",
    replace: "",
    tests: CALLS,
  },
  {
    name: "a call is hidden behind a name that stands twice",
    file: JSON_RPC,
    find: "if (hasTwins(text, body)) return refusal(TWINS);",
    replace: "",
    tests: READINGS,
  },
  {
    name: "a call in capitals is none",
    file: "src/llm/plain-json.ts",
    find: ".toUpperCase().toLowerCase()",
    replace: "",
    tests: READINGS,
  },
  {
    name: "a form is read as JSON",
    file: TOOLS,
    find: 'if (!isPlainType(headers.get("content-type"))) return refused(NOT_PLAIN, undefined);',
    replace: "",
    tests: READINGS,
  },
  {
    name: "a batch within a batch calls nothing",
    file: JSON_RPC,
    find: "|| !messages.every(isObject)",
    replace: "",
    tests: READINGS,
  },
  {
    name: "a long body loses what was read",
    file: "src/llm/read-start.ts",
    find: "const chunk = chunks[next++];",
    replace: "const chunk = chunks[(next = chunks.length)];",
    tests: CALLS,
  },
  {
    name: "a call that fails keeps its estimate",
    file: MODEL,
    find: "hold.release()",
    replace: "hold.settle()",
    tests: MODELS,
  },
  {
    name: "a call that its caller aborts is free",
    file: MODEL,
    find: "if (call.abortSignal?.aborted) settle(hold, undefined);\n      else",
    replace: "",
    tests: MODELS,
  },
  {
    name: "a denied call is tried again at once",
    file: "src/llm/limited-call-error.ts",
    find: "Object.fromEntries(decision.headers())",
    replace: "{}",
    tests: MODELS,
  },
  {
    name: "a list may hold the usage",
    file: "src/llm/usage-scanner.ts",
    find: "else if (byte === OPEN_LIST) openNested();",
    replace: "else if (byte === OPEN_LIST) openValue();",
    tests: ["test/llm/usage-scanner"],
  },
];

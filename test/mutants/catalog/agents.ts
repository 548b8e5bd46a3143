import type { Written } from "../written.ts";

const TOOLS = "src/llm/limit-tools.ts";
const MODEL = "src/llm/limit-model.ts";
const JSON_RPC = "src/llm/json-rpc.ts";
const READINGS = ["test/llm/two-readings"];
const CALLS = ["test/llm/limit-tools"];
const MODELS = ["test/llm/limit-model"];

/** Limits of tools and models. */
export const AGENTS: readonly Written[] = [
  {
    name: "a client says which tool it calls",
    file: TOOLS,
    find: "headers.delete(field);",
    replace: "",
    tests: CALLS,
  },
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
    name: "a slash in two bytes is one",
    file: "src/llm/plain-json.ts",
    find: ", { fatal: true }",
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
    name: "the elements of a list hide a name that stands twice",
    file: "src/llm/plain-json.ts",
    find: "if (!Array.isArray(value)) count += inner.length;",
    replace: "count += inner.length;",
    tests: READINGS,
  },
  {
    name: "a long body is read to its end",
    file: "src/llm/read-start.ts",
    find: "if (size > maxBytes) return",
    replace: "if (size < 0) return",
    tests: CALLS,
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
    name: "a stream that nobody reads to the end is never settled",
    file: MODEL,
    find: "cancel(reason) {\n        finish();",
    replace: "cancel(reason) {",
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
    name: "a call to another spelling of the endpoint has no tool",
    file: "src/llm/limit-tools.ts",
    find: "if (request.body !== null) headers.set(field, other);",
    replace: "",
    tests: ["test/llm/limit-tools"],
  },
];

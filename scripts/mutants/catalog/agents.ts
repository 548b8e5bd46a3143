import type { Written } from "../written.ts";

const TOOLS = "src/llm/limit-tools.ts";
const MODEL = "src/llm/limit-model.ts";
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
    file: "src/llm/json-rpc.ts",
    find: "calls.length > 1",
    replace: "calls.length > 99",
    tests: CALLS,
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

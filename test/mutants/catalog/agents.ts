import type { Written } from "../written.ts";

const TOOLS = "src/llm/limit-tools.ts";
const MODEL = "src/llm/limit-model.ts";
const JSON_RPC = "src/llm/json-rpc.ts";
const READINGS = ["test/llm/two-readings"];
const CALLS = ["test/llm/limit-tools"];
const MODELS = ["test/llm/limit-model"];
const READER = "src/llm/usage-reader.ts";
const BOOKED = ["test/llm/booked"];

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
    file: READER,
    find: "return member.isList || !isList",
    replace: "return true",
    tests: BOOKED,
  },
  {
    name: "a number that cannot be read does not matter",
    file: READER,
    find: "if (isText || number === undefined || number > Number.MAX_SAFE_INTEGER) doubt(name);",
    replace: "",
    tests: BOOKED,
  },
  {
    name: "tokens with an unknown name do not count",
    file: READER,
    find: "place.isUsage && isTokens(name!)",
    replace: "place.isUsage && false",
    tests: BOOKED,
  },
  {
    name: "a fraction of a token is rounded down",
    file: "src/llm/read-number.ts",
    find: "Math.ceil(number) + 0",
    replace: "Math.floor(number) + 0",
    tests: BOOKED,
  },
  {
    name: "a number that shrinks is believed",
    file: "src/llm/token-counters.ts",
    find: "if (!of.isSum && tokens < counter.most) isDoubtful = true;",
    replace: "",
    tests: BOOKED,
  },
  {
    name: "the last of several numbers counts, and not the greatest",
    file: "src/llm/token-counters.ts",
    find: "counter.most = Math.max(counter.most, counter.now);",
    replace: "counter.most = counter.now;",
    tests: BOOKED,
  },
  {
    name: "a compaction is free",
    file: "src/llm/usage-shapes.ts",
    find: 'compaction: "beside"',
    replace: 'compaction: "answer"',
    tests: [...BOOKED, "test/llm/shapes"],
  },
  {
    name: "a total above its parts is ignored",
    file: "src/llm/token-counts.ts",
    find: "Math.max(0, (total ?? 0) - input - answer)",
    replace: "0",
    tests: BOOKED,
  },
  {
    name: "a usage in the middle of a stream is the last one, wherever that breaks off",
    file: "src/llm/last-usage.ts",
    find: "isLast && (isSaid || isWhole || !hasSeveral)",
    replace: "isLast",
    tests: BOOKED,
  },
  {
    name: "what would be an image elsewhere is free",
    file: "src/llm/request-media.ts",
    find: "if (!PATHS.some((each) => each.test(path))) return false;",
    replace: "",
    tests: ["test/llm/request-text"],
  },
  {
    name: "prose in the place of an image is free",
    file: "src/llm/request-media.ts",
    find: ": hasBinaryType(name, holder) && BASE64.test(text);",
    replace: ": hasBinaryType(name, holder);",
    tests: ["test/llm/request-text"],
  },
  {
    name: "a maximum in Gemini's settings is not read",
    file: "src/llm/largest-answer.ts",
    find: '  "generationConfig",\n',
    replace: "",
    tests: ["test/llm/estimate-tokens"],
  },
  {
    name: "a part above the whole usage is taken for a part",
    file: "src/llm/token-counts.ts",
    find: "part > Math.max(total ?? 0, input + told) ? part : 0",
    replace: "0 * part",
    tests: ["test/llm/booked"],
  },
];

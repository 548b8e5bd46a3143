import type { Written } from "../written.ts";

const PARTS_FILE = "src/store/cluster/decide-in-parts.ts";
const BACK = "src/store/cluster/take-back.ts";
const UNIT = ["test/store/split-store"];

/** One call for each part of a decision, and what is taken back when another part denied. */
export const PARTS: readonly Written[] = [
  {
    name: "parts: an advisory policy denies its part",
    file: PARTS_FILE,
    find: '!reply.rows[i]!.allowed && role !== "advisory" ? [i] : [],',
    replace: "!reply.rows[i]!.allowed ? [i] : [],",
    tests: UNIT,
  },
  {
    name: "parts: the clock is that of the first master",
    file: PARTS_FILE,
    find: "Math.max(...answered.map(({ reply }) => reply.nowUs))",
    replace: "answered[0]!.reply.nowUs",
    tests: UNIT,
  },
  {
    name: "parts: nobody takes back what a denied request took",
    file: PARTS_FILE,
    find: "answered.some(denies) ? await undo() : rows",
    replace: "rows",
    tests: UNIT,
  },
  {
    name: "parts: a charge is taken back",
    file: "src/store/cluster/decide-in-parts.ts",
    find: '      operation === "consume" ? takeBack(inner, answered, policies.length) : rows;',
    replace: "      takeBack(inner, answered, policies.length);",
    tests: UNIT,
  },
  {
    name: "parts: one dead master fails the whole decision",
    file: PARTS_FILE,
    find: "for (const index of parts[i]!.indices) failures[index] = answer;",
    replace: "throw answer;",
    tests: UNIT,
  },
  {
    name: "parts: a dead master has room",
    file: PARTS_FILE,
    find: "if (answered.length < parts.length) {",
    replace: "if (answered.length === 0) {",
    tests: UNIT,
  },
  {
    name: "parts: a flood takes and gives back again and again",
    file: PARTS_FILE,
    find: "setRecent(deniedLast, keys[0]!, true, MAX_DENIED);",
    replace: "{}",
    tests: UNIT,
  },
  {
    name: "parts: who was denied once asks twice for ever",
    file: PARTS_FILE,
    find: "      else deniedLast.delete(keys[0]!);\n",
    replace: "",
    tests: UNIT,
  },
  {
    name: "parts: who only looked has taken",
    file: PARTS_FILE,
    find: "    if (answers.some(denies)) return answers;\n",
    replace: "    if (answers.length > 0) return answers;\n",
    tests: UNIT,
  },
  {
    name: "taking back: a part that only looked gives back",
    file: BACK,
    find: 'return operation === "consume" && denying.length === 0;',
    replace: "return denying.length === 0;",
    tests: UNIT,
  },
  {
    name: "taking back: a part that denied gives back",
    file: BACK,
    find: 'return operation === "consume" && denying.length === 0;',
    replace: 'return operation === "consume";',
    tests: UNIT,
  },
  {
    name: "taking back: an advisory policy keeps what it took",
    file: BACK,
    find: 'role !== "denials" && reply.rows[i]!.allowed && costs[i]! > 0 ? [i] : [],',
    replace: 'role === "enforced" && reply.rows[i]!.allowed && costs[i]! > 0 ? [i] : [],',
    tests: UNIT,
  },
  {
    name: "taking back: an advisory policy without room gives back",
    file: BACK,
    find: 'role !== "denials" && reply.rows[i]!.allowed && costs[i]! > 0 ? [i] : [],',
    replace: 'role !== "denials" && costs[i]! > 0 ? [i] : [],',
    tests: UNIT,
  },
  {
    name: "taking back: a ban is told nothing of other masters' denials",
    file: BACK,
    find: '...policies.map(({ role }, i) => role === "denials" && count(part, i)),',
    replace: "",
    tests: UNIT,
  },
  {
    name: "taking back: a ban counts a denial of its own master twice",
    file: BACK,
    find: "return Number(byOther && !denying.some((other) => other !== i));",
    replace: "return Number(byOther);",
    tests: UNIT,
  },
  {
    name: "taking back: a ban counts its own denial",
    file: BACK,
    find: "denied.some((other) => other !== indices[i])",
    replace: "denied.length > 0",
    tests: UNIT,
  },
  {
    name: "taking back: a ban that was only looked at forgets the denials before",
    file: BACK,
    find: "return costs[i]! + Number(byOther);",
    replace: "return Number(byOther);",
    tests: UNIT,
  },
  {
    name: "taking back: rows show what was taken for a moment",
    file: BACK,
    find: "const remaining = row.remaining + units;",
    replace: "const remaining = row.remaining;",
    tests: UNIT,
  },
  {
    name: "taking back: a give-back that is lost fails the decision",
    file: BACK,
    find: "await Promise.allSettled(",
    replace: "await Promise.all(",
    tests: UNIT,
  },
];

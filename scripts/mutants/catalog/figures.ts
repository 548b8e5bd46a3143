import type { Written } from "../written.ts";

const SHARE = { file: "src/metrics/estimate.ts", tests: ["test/metrics/estimate"] };
const ESTIMATE = {
  file: "scripts/support/progress/estimate.ts",
  tests: ["test/programs/progress"],
};
const LINE = { file: "scripts/support/progress/line.ts", tests: ["test/programs/progress"] };
const COLUMNS = { file: "bench/surge/report/columns.ts", tests: ["test/programs/tables"] };
const COMMANDS = ["test/programs/commands"];

/** What programs, pictures and what-ifs tell people. */
export const FIGURES: readonly Written[] = [
  {
    name: "the interval of a few clients misses the truth half of the time",
    ...SHARE,
    find: "const MISSED = 0.025;",
    replace: "const MISSED = 0.25;",
  },
  {
    name: "the lower bound of a share is that of the affected",
    ...SHARE,
    find: "most(sampled - affected)",
    replace: "most(affected)",
  },
  {
    name: "a what-if with few clients keeps their share to itself",
    file: "src/metrics/what-if.ts",
    find: "affectedShare: tooFew ?",
    replace: "affectedShare: !tooFew ?",
    tests: ["test/metrics/what-if.test.ts"],
  },
  {
    name: "the rules show denials as blocked",
    file: "src/dashboard/rules/rules-view.tsx",
    find: "counted.get(label)?.blocked ?? 0",
    replace: "counted.get(label)?.denied ?? 0",
    tests: ["test/dashboard/views"],
  },
  {
    name: "what lists block before any rule is not said",
    file: "src/dashboard/rules/rules-view.tsx",
    find: 'rule === "none"',
    replace: 'rule === ""',
    tests: ["test/dashboard/views"],
  },
  {
    name: "the time left is that of the stage",
    ...ESTIMATE,
    find: "(totalMs - done) * pace",
    replace: "(stages[at]?.expectedMs ?? 0) * pace",
  },
  {
    name: "a slow machine is not noticed",
    ...ESTIMATE,
    find: "share < TELLING ? 1 :",
    replace: "share < 2 ? 1 :",
  },
  {
    name: "a stage that takes longer is done before it ends",
    ...ESTIMATE,
    find: "const NEARLY = 0.98;",
    replace: "const NEARLY = 2;",
  },
  {
    name: "the line of a run takes the last column, so that terminals wrap it",
    ...LINE,
    find: "const room = columns - 1;",
    replace: "const room = columns;",
  },
  {
    name: "a column that does not fit beside the others is put there",
    ...COLUMNS,
    find: "used + width >= columns",
    replace: "used >= columns",
  },
  {
    name: "columns that follow below come twice",
    ...COLUMNS,
    find: "blocks.push([]);",
    replace: "blocks.push([column]);",
  },
  {
    name: "results that are not there are a stack trace",
    file: "scripts/support/json-file.ts",
    find: "throw new ProgramError(`${file} can't be read: ${why}`);",
    replace: "throw error;",
    tests: COMMANDS,
  },
  {
    name: "wrong usage is no other exit code than a failure",
    file: "scripts/support/program.ts",
    find: "EXIT.done : EXIT.usage",
    replace: "EXIT.done : EXIT.failed",
    tests: COMMANDS,
  },
  {
    name: "JSON is printed beside a table",
    file: "bench/benchmark/main.ts",
    find: "json ? JSON.stringify({ parts }, null, 2) :",
    replace: "json ? JSON.stringify({ parts }, null, 2) + tables.join() :",
    tests: COMMANDS,
  },
  {
    name: "headings of panels touch the labels below them",
    file: "bench/plot/picture.ts",
    find: "if (heading) y += BELOW_HEADING;",
    replace: "if (heading) y -= BELOW_HEADING;",
    tests: ["test/surge/report.test.ts"],
  },
];

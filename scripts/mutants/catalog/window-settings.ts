import type { Written } from "../written.ts";

const SEGMENTED = "lua/algorithms/segmented-window.lua";
const COUNTER = "lua/algorithms/sliding-window-counter.lua";
const MODELS = ["test/model/two-windows"];
const BOTH = ["test/lua/model"];

/** Two settings of a window that are alive at once, and charges that were cut off. */
export const WINDOW_SETTINGS: readonly Written[] = [
  {
    name: "window settings: segments of another length miss what is taken",
    file: "src/algorithms/segmented-window.ts",
    find: "others.map((grid) => take(grid, units, isCut))",
    replace: "others",
    tests: MODELS,
  },
  {
    name: "window settings: a counter of another window misses what is taken",
    file: "src/algorithms/sliding-window-counter.ts",
    find: "others.map((counts) => take(counts, units, isCut))",
    replace: "others",
    tests: MODELS,
  },
  {
    name: "window settings: segments come from the shortest window",
    file: "src/algorithms/segmented-window.ts",
    find: "spanOf(grid) > spanOf(most) ? grid : most",
    replace: "spanOf(grid) < spanOf(most) ? grid : most",
    tests: ["test/lua/model", ...MODELS],
  },
  {
    name: "window settings: a denial does not keep its segments alive",
    file: SEGMENTED,
    find: "several and operation ~= 'peek' and same[2] < now + same[3]",
    replace: "false",
    tests: BOTH,
  },
  {
    name: "window settings: a setting of segments lives for ever",
    file: SEGMENTED,
    find: "each ~= same and counts and each[2] > now",
    replace: "each ~= same and counts",
    tests: BOTH,
  },
  {
    name: "window settings: the key of several segments goes with the shortest",
    file: SEGMENTED,
    find: "expires = math.max(expires, other[2])",
    replace: "expires = math.min(expires, other[2])",
    tests: ["test/lua/two-windows-expiry"],
  },
  {
    name: "window settings: the key of several counters goes with the shortest",
    file: COUNTER,
    find: "expires = math.max(expires, start + 2000 * length)",
    replace: "expires = math.min(expires, start + 2000 * length)",
    tests: ["test/lua/two-windows-expiry"],
  },
  {
    name: "window settings: a peek writes the segments of its own setting",
    file: SEGMENTED,
    find: "own and (source[6] > now or operation ~= 'peek')",
    replace: "own",
    tests: BOTH,
  },
  {
    name: "window settings: more than four counters are kept",
    file: COUNTER,
    find: "if #others == 4 then",
    replace: "if false then",
    tests: ["test/lua/two-windows-expiry"],
  },
  {
    name: "window settings: a charge that was cut off leaves no sign in a fixed window",
    file: "lua/algorithms/fixed-window.lua",
    find: "used, cut = most, 1",
    replace: "used = most",
    tests: ["test/lua/refund-settings"],
  },
  {
    name: "window settings: only the segments of the asker give back",
    file: "src/algorithms/segmented-window.ts",
    find: "state.others.map((grid) => back(grid, given).grid)",
    replace: "state.others",
    tests: ["test/lua/refund"],
  },
];

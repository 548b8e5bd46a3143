import type { Written } from "../written.ts";

/** Versions of the states' layouts. */
export const LAYOUTS: readonly Written[] = [
  {
    name: "two versions of a layout share a key",
    file: "src/policy/compile.ts",
    find: '${layout > 1 ? layout : ""}',
    replace: "",
    tests: ["test/store/layouts"],
  },
];

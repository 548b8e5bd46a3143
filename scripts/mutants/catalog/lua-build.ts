import type { Written } from "../written.ts";

/** The build of the Lua puts code where a call stood, and renames what is in it. */
export const LUA_BUILD: readonly Written[] = [
  {
    name: "Lua: an inline function assigns to its argument",
    file: "scripts/build-lua/inline-function.ts",
    find: "if (!assigned.has(parameter)) names",
    replace: "names",
    tests: ["test/lua/inline"],
  },
  {
    name: "Lua: a result takes its new name while an argument has it",
    file: "scripts/build-lua/inline-function.ts",
    find: "!given.some((argument) => targets.includes(argument.text))",
    replace: "true",
    tests: ["test/lua/inline"],
  },
  {
    name: "Lua: an inline function uses a local of its surroundings",
    file: "scripts/build-lua/inline.ts",
    find: "if (foreign) throw",
    replace: "if (false) throw",
    tests: ["test/lua/inline"],
  },
  {
    name: "Lua: a call that cannot be inlined stays",
    file: "scripts/build-lua/inline.ts",
    find: "if (uses !== calls.length)",
    replace: "if (false)",
    tests: ["test/lua/inline"],
  },
  {
    name: "Lua: the lowest byte is packed first",
    file: "scripts/build-lua/struct.ts",
    find: "width - 1 - at, at === 0",
    replace: "at, at === 0",
    tests: ["test/lua/struct"],
  },
  {
    name: "Lua: a format may have fewer numbers than there are variables",
    file: "scripts/build-lua/struct.ts",
    find: "if (widths.length !== count)",
    replace: "if (false)",
    tests: ["test/lua/struct"],
  },
  {
    name: "Lua: a directive that nobody knows is a comment",
    file: "scripts/build-lua/source.ts",
    find: "if (unknown) throw",
    replace: "if (false) throw",
    tests: ["test/lua/build"],
  },
  {
    name: "Lua: a local in a block takes the name of one around it",
    file: "scripts/build-lua/short-names.ts",
    find: "for (const name of inside) {",
    replace: "for (const name of [declared]) {",
    tests: ["test/lua/build"],
  },
];

import luaparse from "luaparse";

export interface Cut {
  readonly before: string;
  /** By algorithm: the test for its name, `then`, and the body of the branch. */
  readonly branches: ReadonlyMap<string, string>;
  readonly after: string;
}

type Ranged<Node> = Node & { readonly range: readonly [number, number] };

/**
 * Cuts a program around its one chain of `if algorithm == 'name' then ... elseif ... end`, of which each branch can
 * be left out: `before .. 'if ' .. branch .. 'else' .. 'if ' .. branch .. 'end' .. after`.
 */
export function cutBranches(program: string): Cut {
  const chains: {
    readonly range: readonly [number, number];
    readonly names: string[];
    readonly starts: number[];
  }[] = [];
  luaparse.parse(program, {
    luaVersion: "5.1",
    ranges: true,
    onCreateNode(node) {
      if (node.type !== "IfStatement") return;
      const tests = node.clauses.map((clause) =>
        "condition" in clause ? clause.condition : undefined,
      );
      const names = tests.map((test) =>
        test?.type === "BinaryExpression" &&
        test.operator === "==" &&
        test.right.type === "StringLiteral"
          ? test.right.raw.slice(1, -1)
          : undefined,
      );
      if (names.length < 2 || names.includes(undefined)) return;
      chains.push({
        range: (node as Ranged<typeof node>).range,
        names: names as string[],
        starts: tests.map((test) => (test as Ranged<NonNullable<typeof test>>).range[0]),
      });
    },
  });
  const [chain, ...others] = chains;
  if (!chain || others.length > 0) throw new Error("lua: not one chain of branches to cut");
  const [start, end] = chain.range;
  const branches = new Map(
    chain.names.map((name, i) => {
      const next = chain.starts[i + 1];
      const piece = program.slice(chain.starts[i], next ?? end);
      return [name, piece.slice(0, piece.lastIndexOf(next === undefined ? "end" : "elseif"))];
    }),
  );
  return { before: program.slice(0, start), branches, after: program.slice(end) };
}

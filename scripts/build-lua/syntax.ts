import luaparse from "luaparse";

/** A node of a parsed program; the parser's own types leave the range and the scope out. */
export interface Node {
  readonly type: string;
  readonly range: readonly [number, number];
  readonly name?: string;
  readonly isLocal?: boolean;
}

/** A piece of source text to be replaced. */
export interface Edit {
  readonly range: readonly [number, number];
  readonly by: string;
}

export type Ranged<Parsed> = Parsed & Pick<Node, "range">;

export function parse(source: string): luaparse.Chunk {
  return luaparse.parse(source, { luaVersion: "5.1", comments: true, ranges: true, scope: true });
}

/** Every node below a value, itself included. */
export function nodes(value: unknown): Node[] {
  const found: Node[] = [];
  collect(value, found);
  return found;
}

function collect(value: unknown, found: Node[]): void {
  if (Array.isArray(value)) {
    for (const each of value) if (typeof each === "object") collect(each, found);
  } else if (value !== null && typeof value === "object") {
    if ("type" in value) found.push(value as Node);
    for (const each of Object.values(value)) if (typeof each === "object") collect(each, found);
  }
}

/** Whether a node is a use or a declaration of a local variable. */
export function isLocalName({ type, isLocal }: Node): boolean {
  return type === "Identifier" && isLocal === true;
}

export function localsIn(value: unknown): Node[] {
  return nodes(value).filter(isLocalName);
}

export function commentsOf(chunk: luaparse.Chunk): (Node & { readonly value: string })[] {
  return (chunk.comments ?? []) as unknown as (Node & { readonly value: string })[];
}

/** The names of the variables that a block declares: its locals, loop variables or parameters, not those of its blocks. */
export function declaredBy(block: Node): string[] {
  const { body, variable, variables, parameters } = block as Node & {
    readonly body?: readonly luaparse.Statement[];
    readonly variable?: Node;
    readonly variables?: readonly Node[];
    readonly parameters?: readonly Node[];
  };
  // An assignment has variables, too; a declaring node has a body.
  if (!body) return [];
  const heads = [variable, ...(variables ?? []), ...(parameters ?? [])];
  const inBody = body.flatMap((statement) => {
    if (statement.type === "LocalStatement") return statement.variables as unknown as Node[];
    if (statement.type === "FunctionDeclaration" && statement.isLocal)
      return [statement.identifier as unknown as Node];
    return [];
  });
  return [...heads, ...inBody].flatMap((node) => node?.name ?? []);
}

/** Applies edits to a text; their ranges do not overlap. */
export function edit(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.range[0] - a.range[0])
    .reduce(
      (done, { range: [start, end], by }) => done.slice(0, start) + by + done.slice(end),
      text,
    );
}

/** A place in a text, both counted from 1, as editors show it. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A value in a file, and where the values inside it are. */
export interface Placed {
  readonly offset: number;
  readonly children: Map<string | number, Placed>;
}

/** Something wrong at a place of a file, without a path: the file cannot be read further. */
export interface SyntaxFault {
  readonly offset: number;
  readonly value: string;
  readonly remedy: string;
}

/** A file's content: its value and the places in it, or the fault that keeps it from being read. */
export interface Parsed {
  readonly text: string;
  readonly value: unknown;
  readonly root: Placed;
  readonly faults: readonly SyntaxFault[];
}

export function positionOf(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/**
 * Finds a fault's path, such as `rules[0].policies[1].limit`. A missing value is found at the innermost value around it.
 * A key may contain dots itself, so that the longest key that fits is taken.
 */
export function findPath(root: Placed, path: string): Placed {
  let at = root;
  let rest = path;
  while (rest !== "") {
    const found = childOf(at, rest);
    if (!found) return at;
    at = found.child;
    rest = found.rest;
  }
  return at;
}

interface Found {
  readonly child: Placed;
  readonly rest: string;
}

function childOf(at: Placed, path: string): Found | undefined {
  const [step, index] = /^\[(\d+)\]/.exec(path) ?? [];
  if (step === undefined) return childNamed(at, path.replace(/^\./, ""));
  const child = at.children.get(Number(index));
  return child && { child, rest: path.slice(step.length) };
}

function childNamed(at: Placed, path: string): Found | undefined {
  let found: Found | undefined;
  let longest = -1;
  for (const [key, child] of at.children) {
    for (const spelt of [String(key), JSON.stringify(key)]) {
      const rest = path.slice(spelt.length);
      if (spelt.length <= longest || !path.startsWith(spelt) || !/^(?:$|[.[])/.test(rest)) continue;
      longest = spelt.length;
      found = { child, rest };
    }
  }
  return found;
}

import { findNodeAtLocation, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

import type { Fault } from "../api/answers.ts";

/** A fault, and the line of the text that it is in. */
export interface PlacedFault extends Fault {
  readonly line: number;
  readonly offset: number;
}

const STRICT = { disallowComments: true, allowTrailingComma: false };

export interface JsonText {
  readonly faults: readonly PlacedFault[];
  /** Faults in the meaning of the text, at their lines. */
  place(faults: readonly Fault[]): readonly PlacedFault[];
  /** The offset at which a value begins, such as `rules[0].policies[1].limit`; a missing value begins with the value around it. */
  offsetOf(path: string): number;
}

export function readJson(text: string): JsonText {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, STRICT);
  const faults = errors.map(({ error, offset }) => ({
    path: "",
    code: "no-json" as const,
    value: text.slice(offset, offset + 20),
    remedy: sentenceOf(printParseErrorCode(error)),
    offset,
    line: lineOf(text, offset),
  }));

  function offsetOf(path: string): number {
    if (!root) return 0;
    const steps = stepsOf(path);
    for (let depth = steps.length; depth > 0; depth--) {
      const node = findNodeAtLocation(root, steps.slice(0, depth));
      if (node) return node.offset;
    }
    return root.offset;
  }

  return {
    faults,
    offsetOf,
    place: (faults) =>
      faults.map((fault) => {
        const offset = offsetOf(fault.path);
        return { ...fault, offset, line: lineOf(text, offset) };
      }),
  };
}

function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([name, index]) =>
    index === undefined ? name : Number(index),
  );
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < offset; i = text.indexOf("\n", i + 1)) line++;
  return line;
}

/** `CommaExpected` as `Comma expected.` */
function sentenceOf(code: string): string {
  const words = code.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
  return `${words[0]!.toUpperCase()}${words.slice(1)}.`;
}

import { ensureSyntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";

/** A part of a text around a place, in which the place is at another offset. */
export interface Excerpt {
  readonly text: string;
  readonly offset: number;
}

/** Values beside the way to the place are left out from this length on: shorter ones say which kind of object it is. */
const MAX_BESIDE = 500;

/** The parser is ahead of a person who types, unless a long text was just put in. */
const MAX_PARSE_MS = 30;

interface Cut {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/**
 * The text around a place of JSON: the values that contain it, without the other elements of the lists on the way. To read a
 * thousand rules for each word that is typed would take longer than a key. `undefined` while the text is being parsed.
 */
export function excerptAt(state: EditorState, place: number): Excerpt | undefined {
  const tree = ensureSyntaxTree(state, place, MAX_PARSE_MS);
  if (!tree) return undefined;
  const cuts: Cut[] = [];
  for (let node: SyntaxNode | null = tree.resolveInner(place, -1); node; node = node.parent) {
    if (node.name === "Array") cuts.push(...othersOf(node, place));
    if (node.name === "Object") cuts.push(...besideOf(node, place));
  }
  let [text, offset, end] = ["", place, 0];
  for (const { from, to, insert } of cuts.sort((one, other) => one.from - other.from)) {
    text += state.sliceDoc(end, from) + insert;
    if (to <= place) offset += insert.length - (to - from);
    end = to;
  }
  return { text: text + state.sliceDoc(end, tree.length), offset };
}

/** All but the elements that the place is in or beside. */
function othersOf(list: SyntaxNode, place: number): Cut[] {
  const { firstChild, lastChild } = list;
  if (!firstChild || !lastChild) return [];
  let before = list.childBefore(place) ?? firstChild;
  // A word that is still being typed is not yet unknown.
  while (before.type.isError && before.prevSibling) before = before.prevSibling;
  const after = list.childAfter(place) ?? lastChild;
  const inside = list.childBefore(place + 1);
  const isInside = inside !== null && inside.from < place && place < inside.to;
  const [first, last] = isInside ? [inside, inside] : [before, after];
  const end = lastChild.name === "]" ? lastChild.from : list.to;
  return [
    { from: firstChild.to, to: first.from, insert: "" },
    { from: last.to, to: end, insert: "" },
  ].filter(({ from, to }) => from < to);
}

/** Long values of other properties. */
function besideOf(object: SyntaxNode, place: number): Cut[] {
  return object.getChildren("Property").flatMap((property) => {
    const value = property.lastChild;
    const isOnWay = property.from <= place && place <= property.to;
    if (isOnWay || !value || value.to - value.from < MAX_BESIDE) return [];
    return [{ from: value.from, to: value.to, insert: "null" }];
  });
}

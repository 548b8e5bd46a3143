import { Change, diff, MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, lineNumbers, ViewPlugin } from "@codemirror/view";

import { look } from "./look.ts";

/** A text to be compared, and its title. */
export interface Side {
  readonly text: string;
  readonly name: string;
}

const DIFF = { override: changesByLine };

const COLLAPSE = { margin: 3, minSize: 4 };

const compared = EditorView.theme({
  ".cm-collapsedLines": { background: "var(--sunken)", color: "var(--muted)" },
  ".cm-collapsedLines:focus-visible": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  // Not every font has the sign of CodeMirror's own.
  ".cm-collapsedLines::before, .cm-collapsedLines::after": { content: '"⋯"' },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--bad-soft)" },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: "var(--good-soft)" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": {
    background: "none",
    boxShadow: "inset 0 -2px var(--bad)",
  },
  "&.cm-merge-b .cm-changedText": {
    background: "none",
    boxShadow: "inset 0 -2px var(--good)",
  },
  "&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { background: "var(--bad)" },
  "&.cm-merge-b .cm-changedLineGutter": { background: "var(--good)" },
});

function shown({ text, name }: Side): { readonly doc: string; readonly extensions: Extension } {
  return {
    doc: text,
    extensions: [
      lineNumbers(),
      EditorView.lineWrapping,
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ "aria-label": name }),
      look,
      compared,
    ],
  };
}

/** Two texts beside each other, equal lines at equal heights, without the parts that are the same in both. */
export function compareSides(root: ShadowRoot, before: Side, after: Side): { destroy(): void } {
  const right = shown(after);
  return new MergeView({
    root,
    parent: root,
    a: shown(before),
    b: { ...right, extensions: [right.extensions, openedByKeys] },
    collapseUnchanged: COLLAPSE,
    diffConfig: DIFF,
  });
}

/** Two texts as one, for where there is no room for two. */
export function compareUnified(root: ShadowRoot, before: Side, after: Side): { destroy(): void } {
  const { doc, extensions } = shown(after);
  return new EditorView({
    root,
    parent: root,
    doc,
    extensions: [
      extensions,
      openedByKeys,
      unifiedMergeView({
        original: before.text,
        mergeControls: false,
        collapseUnchanged: COLLAPSE,
        diffConfig: DIFF,
      }),
      signs,
    ],
  });
}

/** In one column a colour is not enough to say which text a line is of. */
const signs = EditorView.theme({
  ".cm-changedLine::before": { content: '"+ "', color: "var(--good)" },
  ".cm-deletedLine::before": { content: '"− "', color: "var(--bad)" },
});

/** Makes the signs that stand for equal lines buttons: by themselves they can only be opened with a pointer. */
const openedByKeys = [
  ViewPlugin.define((view) => {
    const toButtons = () => {
      for (const sign of view.contentDOM.querySelectorAll(".cm-collapsedLines")) {
        sign.setAttribute("role", "button");
        sign.setAttribute("tabindex", "0");
      }
    };
    const onceDrawn = () => view.requestMeasure({ read() {}, write: toButtons, key: toButtons });
    onceDrawn();
    return { update: onceDrawn };
  }),
  EditorView.domEventHandlers({
    keydown(event) {
      const { target, key } = event;
      if (!(target instanceof HTMLElement) || !target.matches(".cm-collapsedLines")) return false;
      if (key !== "Enter" && key !== " ") return false;
      target.click();
      return true;
    },
  }),
];

/** Each line that differs from all others is one character, and those from here on would be halves of one. */
const MAX_LINES = 0xd800;

/** Texts that differ in more lines than these are compared less closely: the time grows with the square of them. */
const MAX_CHANGED_LINES = 4_000;

/** Differences are looked for within the lines of a part up to this length. */
const MAX_WITHIN = 4_000;

/**
 * The changes from one text to another, line by line, and within lines that changed. Character by character, a few
 * changes in a long text would already take seconds, or be told as one.
 */
export function changesByLine(before: string, after: string): readonly Change[] {
  const codes = new Map<string, number>();
  const [one, other] = [linesOf(before, codes), linesOf(after, codes)];
  if (codes.size > MAX_LINES) return [new Change(0, before.length, 0, after.length)];
  const changed = diff(one.text, other.text, { scanLimit: MAX_CHANGED_LINES });
  return changed.flatMap(({ fromA, toA, fromB, toB }) => {
    const [startA, endA] = [one.starts[fromA]!, one.starts[toA]!];
    const [startB, endB] = [other.starts[fromB]!, other.starts[toB]!];
    if (endA - startA + endB - startB > MAX_WITHIN) return [new Change(startA, endA, startB, endB)];
    return diff(before.slice(startA, endA), after.slice(startB, endB)).map(
      (within) =>
        new Change(
          startA + within.fromA,
          startA + within.toA,
          startB + within.fromB,
          startB + within.toB,
        ),
    );
  });
}

/** A text with a character for each line, and where each begins; the last is where the text ends. */
function linesOf(text: string, codes: Map<string, number>) {
  const starts = [0];
  let encoded = "";
  for (const line of text.split(/(?<=\n)/)) {
    const code = codes.get(line) ?? codes.size;
    codes.set(line, code);
    encoded += String.fromCharCode(code);
    starts.push(starts.at(-1)! + line.length);
  }
  return { text: encoded, starts };
}

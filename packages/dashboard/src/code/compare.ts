import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";

import { openedByKeys } from "./collapsed-lines.ts";
import { changesByLine } from "./line-changes.ts";
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

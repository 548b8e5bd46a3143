import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The page's colours: its custom properties reach into a shadow root, its style sheets do not. */
export const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--card)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
  ".cm-gutters": {
    backgroundColor: "var(--sunken)",
    color: "var(--muted)",
    border: "0",
    userSelect: "none",
  },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 6px" },
  ".cm-activeLine": { backgroundColor: "var(--sunken)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused .cm-matchingBracket, &.cm-focused .cm-nonmatchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--edge)",
  },
  ".cm-specialChar": { color: "var(--bad)" },
  ".cm-faulty": { backgroundColor: "var(--bad-soft)" },
  ".cm-faults .cm-gutterElement": { width: "16px", color: "var(--bad)", textAlign: "center" },
  ".cm-panels": {
    backgroundColor: "var(--card)",
    color: "var(--ink)",
    fontFamily: "var(--sans)",
    "&.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  },
  ".cm-textfield, .cm-button, .cm-panel.cm-search [name=close]": {
    minHeight: "28px",
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    background: "var(--card)",
    color: "inherit",
    fontSize: "13px",
  },
  ".cm-panel.cm-search [name=close]": { minWidth: "28px", border: "0", color: "var(--accent)" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-soft)" },
  ".cm-searchMatch-selected": {
    backgroundColor: "var(--warn-soft)",
    outline: "2px solid var(--warn)",
  },
  ".cm-tooltip": {
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    backgroundColor: "var(--card)",
    color: "var(--ink)",
    overflowWrap: "anywhere",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "15em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px", lineHeight: "1.4" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--accent)",
    color: "var(--on-accent)",
  },
  ".cm-tooltip.cm-completionInfo, .cm-described": {
    maxWidth: "min(360px, 80vw)",
    padding: "6px 10px",
    fontFamily: "var(--sans)",
    lineHeight: "1.4",
  },
});

export const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
]);

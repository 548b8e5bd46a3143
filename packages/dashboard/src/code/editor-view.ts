import { autocompletion, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";

import { INVISIBLE, plain } from "../parts/plain.ts";
import { faultyLines } from "./faulty-lines.ts";
import { colours, look } from "./look.ts";
import { complete, hover } from "./schema-help.ts";

export interface EditorOptions {
  readonly root: ShadowRoot;
  readonly text: string;
  readonly isReadOnly: boolean;
  /** Its name and its description for a screen reader. */
  readonly label: string;
  readonly description: string;
  /** Called with the whole text after each change. */
  readonly onChange: (text: string) => void;
}

/** An editor of rules as JSON. Tab leaves it, as it leaves every other field. */
export function createEditor(options: EditorOptions): EditorView {
  const { root, text, isReadOnly, label, description, onChange } = options;
  const described = describe(description);
  root.append(described);
  return new EditorView({
    root,
    parent: root,
    doc: text,
    extensions: [
      faultyLines,
      lineNumbers(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSpecialChars({ specialChars: INVISIBLE, render: shownInvisible }),
      EditorView.lineWrapping,
      EditorState.readOnly.of(isReadOnly),
      history(),
      json(),
      syntaxHighlighting(colours),
      bracketMatching(),
      closeBrackets(),
      indentOnInput(),
      autocompletion({ override: [complete], icons: false }),
      hover,
      // The browser's own finds only the lines that are drawn.
      search({ top: true }),
      keymap.of([...closeBracketsKeymap, ...searchKeymap, ...defaultKeymap, ...historyKeymap]),
      look,
      EditorView.theme({ "&": { height: "100%" } }),
      EditorView.contentAttributes.of({
        "aria-label": label,
        "aria-describedby": described.id,
        // The text can be focused without it; checks for scrolling by the keyboard look for it.
        tabindex: "0",
      }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) onChange(state.doc.toString());
      }),
    ],
  });
}

/** Ids of the page have no meaning in a shadow root: the description of an element has to be in there. */
function describe(description: string): HTMLElement {
  const element = document.createElement("p");
  element.id = "description";
  element.hidden = true;
  element.textContent = description;
  return element;
}

function shownInvisible(code: number): HTMLElement {
  const element = document.createElement("span");
  element.className = "cm-specialChar";
  element.textContent = plain(String.fromCodePoint(code));
  return element;
}

/** Another text in place of the one that is there; it can be undone. */
export function replaceText(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

/** Puts the caret at a place of the text, where it can be seen. */
export function showPlace(view: EditorView, offset: number): void {
  const anchor = Math.min(offset, view.state.doc.length);
  view.dispatch({
    selection: { anchor },
    effects: EditorView.scrollIntoView(anchor, { y: "start", yMargin: 60 }),
  });
  view.focus();
}

import type { EditorView } from "@codemirror/view";
import { type RefObject, useEffect, useLayoutEffect, useRef } from "hono/jsx/dom";

import { createEditor, replaceText } from "../code/editor-view.ts";
import { markLines } from "../code/faulty-lines.ts";
import { shadowOf } from "../code/shadow.ts";
import type { Checked } from "./use-check.ts";

interface EditorProps {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly checked: Checked;
  readonly editor: RefObject<EditorView | null>;
  readonly isReadOnly: boolean;
}

/** A field for JSON, with the numbers of its lines and marks at those with a fault. */
export function Editor({ text, setText, checked, editor, isReadOnly }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  // The text that the editor has. To have it written out again would double the time that a key takes.
  const shown = useRef(text);

  useLayoutEffect(() => {
    const view = createEditor({
      root: shadowOf(host.current!),
      text,
      isReadOnly,
      label: "The rules as JSON",
      description: "Ctrl-Space proposes names and values. Tab leaves the text; its check follows.",
      onChange: (changed) => {
        shown.current = changed;
        setText(changed);
      },
    });
    editor.current = view;
    return () => view.destroy();
  }, []);
  useLayoutEffect(() => {
    if (shown.current !== text) replaceText(editor.current!, text);
  }, [text]);
  useEffect(() => {
    // Until the next answer those that are known stay where they are.
    if (checked.state === "checking") return;
    const faults = checked.state === "faulty" ? checked.faults : [];
    editor.current!.dispatch({ effects: markLines.of(faults.map(({ line }) => line)) });
  }, [checked]);

  return <div class="editor" ref={host} />;
}

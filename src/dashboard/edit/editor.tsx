import { type RefObject, useLayoutEffect, useMemo, useRef } from "hono/jsx/dom";

interface EditorProps {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** Lines with a fault. */
  readonly faulty: readonly number[];
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isReadOnly: boolean;
}

/** A field with the numbers of its lines. */
export function Editor({ text, setText, faulty, field, isReadOnly }: EditorProps) {
  const gutter = useRef<HTMLPreElement>(null);
  // What is typed is there already; to put a long text again takes longer than a key.
  useLayoutEffect(() => {
    if (field.current!.value !== text) field.current!.value = text;
  }, [text]);
  const lines = useMemo(() => text.split("\n").length, [text]);
  const numbers = useMemo(() => numbersOf(lines, faulty), [lines, faulty.join(",")]);
  return (
    <div class="editor">
      <pre ref={gutter} aria-hidden="true">
        {numbers}
      </pre>
      <textarea
        ref={field}
        aria-label="The rules as JSON"
        aria-describedby="check"
        aria-invalid={faulty.length > 0 ? "true" : "false"}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        wrap="off"
        readonly={isReadOnly}
        onInput={(event: Event) => setText((event.target as HTMLTextAreaElement).value)}
        onScroll={(event: Event) => {
          gutter.current!.scrollTop = (event.target as HTMLTextAreaElement).scrollTop;
        }}
      />
    </div>
  );
}

function numbersOf(lines: number, faulty: readonly number[]): string {
  const marked = new Set(faulty);
  return Array.from({ length: lines }, (_, i) =>
    marked.has(i + 1) ? `● ${i + 1}` : `${i + 1}`,
  ).join("\n");
}

/** Puts the caret at a place of the text, where it can be seen. */
export function showPlace(field: HTMLTextAreaElement, offset: number, line: number): void {
  field.focus();
  field.setSelectionRange(offset, offset);
  const height = Number.parseFloat(getComputedStyle(field).lineHeight);
  field.scrollTop = Math.max(0, (line - 4) * height);
}

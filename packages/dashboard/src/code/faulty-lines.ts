import { type Extension, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, gutter, GutterMarker } from "@codemirror/view";

/** Marks these lines, and no others. Those beyond the text are left out. */
export const markLines = StateEffect.define<readonly number[]>();

class Mark extends GutterMarker {
  override toDOM(): Node {
    return document.createTextNode("●");
  }
}
const MARK = new Mark();

const lines = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(before, { changes, effects, state }) {
    const mark = effects.findLast((effect) => effect.is(markLines));
    if (!mark) return before.map(changes);
    const known = [...new Set(mark.value)].filter((line) => line <= state.doc.lines);
    const marks = known.map((line) => MARK.range(state.doc.line(line).from));
    return RangeSet.of(marks, true);
  },
});

const LINE = Decoration.line({ class: "cm-faulty" });

/** Lines with faults have a mark in front and another colour; a screen reader hears that the text is invalid. */
export const faultyLines: Extension = [
  lines,
  gutter({ class: "cm-faults", markers: (view) => view.state.field(lines) }),
  EditorView.decorations.compute([lines], (state) => {
    const decorated = [];
    for (const at = state.field(lines).iter(); at.value; at.next()) {
      decorated.push(LINE.range(state.doc.lineAt(at.from).from));
    }
    return Decoration.set(decorated, true);
  }),
  EditorView.contentAttributes.compute([lines], (state) => ({
    "aria-invalid": state.field(lines).size > 0 ? "true" : "false",
  })),
];

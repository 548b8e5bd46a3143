import { EditorView, ViewPlugin } from "@codemirror/view";

/** Makes the signs that stand for equal lines buttons: by themselves they can only be opened with a pointer. */
export const openedByKeys = [
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

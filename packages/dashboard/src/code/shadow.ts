/**
 * The root of CodeMirror's texts. It makes its styles while it runs: only within a shadow root are they none that the
 * page's Content-Security-Policy forbids.
 */
export function shadowOf(element: HTMLElement): ShadowRoot {
  return element.shadowRoot ?? element.attachShadow({ mode: "open" });
}

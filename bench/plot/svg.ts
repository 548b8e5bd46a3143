import { JSDOM } from "jsdom";

const { window } = new JSDOM("");

/** The document for pictures, as Node has none. */
export const { document } = window;

const NAMESPACE = "http://www.w3.org/2000/svg";

type Attributes = Readonly<Record<string, string | number>>;

export function element(
  name: string,
  attributes: Attributes,
  ...children: readonly (Node | string)[]
): SVGElement {
  const created = document.createElementNS(NAMESPACE, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  created.append(...children);
  return created;
}

/** As XML, which a file needs, and which is fine inside HTML too. */
export function serialize(node: Node): string {
  return new window.XMLSerializer().serializeToString(node);
}

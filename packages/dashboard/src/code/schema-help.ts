import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  insertCompletionText,
  snippet,
  startCompletion,
} from "@codemirror/autocomplete";
import { type EditorView, hoverTooltip } from "@codemirror/view";
import {
  type CompletionItem,
  getLanguageService,
  InsertTextFormat,
  TextDocument,
  TextEdit,
} from "vscode-json-languageservice";

import schema from "../../../../docs/live.schema.json" with { type: "json" };
import { plain } from "../parts/plain.ts";
import { type Excerpt, excerptAt } from "./excerpt.ts";

const service = getLanguageService({
  // The gateway knows only this schema, even if a text names another.
  schemaRequestService: async () => JSON.stringify(schema),
});
service.configure({
  validate: false,
  schemas: [{ uri: "tidegate:live", fileMatch: ["*"], schema: schema as object }],
});

const URI = "tidegate:rules.json";

/** Names and values that the schema has at the place, with its descriptions of them. */
export async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const { state, pos, explicit } = context;
  if (!explicit && !context.matchBefore(/["\p{L}_$-]/u)) return null;
  const excerpt = excerptAt(state, pos);
  if (!excerpt) return null;
  const { items, word, rest } = await propose(excerpt);
  // The typed text is compared without its quotes, and replaced with them.
  const quote = word.startsWith('"') ? 1 : 0;
  return {
    from: pos - word.length + quote,
    options: items.map((item) => optionOf(item, quote, rest)),
    validFor: /^[\w$-]*$/,
  };
}

export interface Proposals {
  readonly items: readonly EditItem[];
  /** The text that they replace: before the place, and the number of its characters behind. */
  readonly word: string;
  readonly rest: number;
}

export async function propose({ text, offset }: Excerpt): Promise<Proposals> {
  const document = TextDocument.create(URI, "json", 0, text);
  const parsed = service.parseJSONDocument(document);
  const found = await service.doComplete(document, document.positionAt(offset), parsed);
  const items = (found?.items ?? []).filter(hasEdit);
  if (items.length === 0) return { items, word: "", rest: 0 };
  const { start, end } = items[0]!.textEdit.range;
  return {
    items,
    word: text.slice(document.offsetAt(start), offset),
    rest: document.offsetAt(end) - offset,
  };
}

interface EditItem extends CompletionItem {
  readonly textEdit: TextEdit;
}

function hasEdit(item: CompletionItem): item is EditItem {
  return TextEdit.is(item.textEdit);
}

/** @param before @param after how many characters around the compared text are replaced too */
function optionOf(item: EditItem, before: number, after: number): Completion {
  const { label, documentation, textEdit, insertTextFormat } = item;
  const isSnippet = insertTextFormat === InsertTextFormat.Snippet;
  const template = isSnippet ? templateOf(textEdit.newText) : "";
  const apply = isSnippet ? snippet(template) : insertText(textEdit.newText);
  return {
    label: label.replaceAll('"', ""),
    displayLabel: plain(label),
    ...(typeof documentation === "string" && documentation !== "" && { info: documentation }),
    apply(view, completion, from, to) {
      apply(view, completion, from - before, to + after);
      // After a name its values are proposed at once.
      if (/\$\{\d+\}/.test(template)) startCompletion(view);
    },
  };
}

/** The text of the service as CodeMirror takes it: `$` for `\$`, and `${1}` for `$1`. */
function templateOf(text: string): string {
  return text.replaceAll(/\\([\\$}])|\$(\d+)/g, (_, sign?: string, place?: string) =>
    sign === undefined ? `\${${place}}` : sign,
  );
}

function insertText(text: string) {
  return (view: EditorView, _completion: Completion, from: number, to: number) =>
    view.dispatch(insertCompletionText(view.state, text, from, to));
}

/** The schema's description of the name or value below the pointer. */
export const hover = hoverTooltip(async ({ state }, place, side) => {
  const excerpt = excerptAt(state, place + (side > 0 ? 1 : 0));
  if (!excerpt) return null;
  const { text, offset } = excerpt;
  const document = TextDocument.create(URI, "json", 0, text);
  const parsed = service.parseJSONDocument(document);
  const pointed = parsed.getNodeFromOffset(offset);
  const node = pointed?.parent?.type === "property" ? pointed.parent.valueNode : pointed;
  if (!node) return null;
  const matching = await service.getMatchingSchemas(document, parsed);
  const said = matching.find((match) => match.node === node && match.schema.description);
  if (!said) return null;
  return { pos: place, create: () => ({ dom: describedBy(said.schema.description!) }) };
});

function describedBy(text: string): HTMLElement {
  const element = document.createElement("div");
  element.className = "cm-described";
  element.textContent = text;
  return element;
}

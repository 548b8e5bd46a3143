import addFormats from "ajv-formats";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

import { openApi } from "../../scripts/build-schema/openapi/document.ts";

/** An operation, as the description of the admin API has it. */
export interface Described {
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: object }>
  >;
  readonly operationId: string;
  readonly summary: string;
}

/** The description itself. */
export const openApiText = openApi();
export const description = JSON.parse(openApiText) as {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<string, object>>;
};
const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(description, "openapi");

/** The JSON pointer to the answer of a route with a status; empty if there is none. */
export function pointerTo(path: string, method: string, status: number): string {
  const escaped = path.replaceAll("/", "~1");
  const { $ref, content } = description.paths[path]![method]!.responses[status] ?? {};
  if ($ref) return `${$ref}/content/application~1problem+json/schema`;
  if (!content) return "";
  const [type] = Object.keys(content);
  return `#/paths/${escaped}/${method}/responses/${status}/content/${type!.replace("/", "~1")}/schema`;
}

/** Compiles the schema that a pointer leads to. */
export function validatorOf(pointer: string): ValidateFunction {
  return ajv.compile({ $ref: `openapi${pointer}` });
}

import { createDocument, type ZodOpenApiOperationObject } from "zod-openapi";
import type * as z from "zod/mini";

import { BASE, routesOf } from "../../../src/admin/admin.ts";
import type { Administered } from "../../../src/admin/administered.ts";
import { Change } from "../../../src/admin/answer-parts.ts";
import type { AdminRoute } from "../../../src/admin/call.ts";
import { Problem } from "../../../src/admin/problem-answer.ts";
import { Refusal, type RefusalStatus } from "../../../src/admin/refusal.ts";
import { openMemoryStore } from "../../../src/store/memory-store.ts";
import { describeDocument, Document } from "../live-document.ts";
import { KeptEntry, KeptOverride, SentEntry, SentOverride } from "./answers.ts";
import { type Operation, OPERATIONS, PARAMETERS } from "./operations.ts";

/** The statuses that every route can answer. */
const EVERYWHERE: readonly RefusalStatus[] = [400, 401, 429, 500, 501, 503];

const REFUSALS: readonly RefusalStatus[] = [
  ...EVERYWHERE,
  ...([403, 404, 409, 412, 413, 415, 422, 428] as const),
];

/**
 * The description of the admin API as OpenAPI 3.1.
 *
 * @throws Error for a route without a description, and for a description without a route
 */
export function openApi(): string {
  describeDocument();
  const routes = routesOf({ store: openMemoryStore(), prefix: "tg" } as Administered);
  const names = routes.map(({ method, path }) => `${method} ${path}`);
  const unused = Object.keys(OPERATIONS).filter((name) => !names.includes(name));
  if (unused.length > 0) throw new Error(`the admin API has no ${unused.join(", ")}`);
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    const operation = OPERATIONS[`${route.method} ${route.path}`];
    if (!operation) throw new Error(`${route.method} ${route.path} has no description`);
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = describeRoute(route, operation);
  }
  const document = createDocument({
    openapi: "3.1.0",
    info: {
      title: "Admin API of a Tidegate gateway",
      version: "1",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: BASE }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "ADMIN_TOKEN, or READ_TOKEN to read.",
        },
      },
      responses: Object.fromEntries(REFUSALS.map((status) => [nameOf(status), refusal(status)])),
      schemas: { Document, Change, Problem, KeptEntry, KeptOverride, SentEntry, SentOverride },
    },
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}

function describeRoute(route: AdminRoute, operation: Operation): ZodOpenApiOperationObject {
  const { summary, body, answer, text, ifMatch, statuses = [], unavailable } = operation;
  const refusals = [...EVERYWHERE, ...(route.writes ? ([403] as const) : []), ...statuses];
  return {
    operationId: operationId(route),
    summary,
    parameters: [
      ...(route.query ?? []).map((name) => queryParameter(route.path, name)),
      ...(ifMatch === undefined ? [] : [ifMatchParameter(ifMatch)]),
    ],
    ...(body && { requestBody: { content: { "application/json": { schema: body } } } }),
    responses: {
      ...done(answer, text),
      ...Object.fromEntries(
        refusals.sort((a, b) => a - b).map((status) => [status, referenceTo(status)] as const),
      ),
      ...(unavailable && { 503: json("Redis gives no answer.", unavailable) }),
    },
  };
}

function done(answer: z.ZodMiniType | undefined, text: string | undefined) {
  if (answer) return { 200: json("Done.", answer) };
  if (text === undefined) return { 204: { description: "Done." } };
  const content = { [text]: { schema: { type: "string" as const } } };
  return { 200: { description: "Done.", content } };
}

function operationId({ method, path }: AdminRoute): string {
  const words = path.split(/[/-]/).filter(Boolean);
  return (
    method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("")
  );
}

function queryParameter(path: string, name: string) {
  return {
    in: "query" as const,
    name,
    description: (PARAMETERS[`${path} ${name}`] ?? PARAMETERS[name])!,
    schema: { type: "string" as const },
    ...(name === "dry-run" && { allowEmptyValue: true }),
  };
}

function ifMatchParameter(need: "required" | "optional") {
  return {
    in: "header" as const,
    name: "If-Match",
    description:
      need === "required"
        ? 'The version that is replaced, such as "7" with its quotes. Only a dry run may leave it out.'
        : 'The version that has to be published, such as "7" with its quotes.',
    schema: { type: "string" as const, pattern: '^"(0|[1-9][0-9]*)"$' },
  };
}

function json(description: string, answer: z.ZodMiniType) {
  return { description, content: { "application/json": { schema: answer } } };
}

function nameOf(status: RefusalStatus): string {
  return new Refusal(status, "").title.replaceAll(" ", "");
}

function referenceTo(status: RefusalStatus) {
  return { $ref: `#/components/responses/${nameOf(status)}` };
}

function refusal(status: RefusalStatus) {
  const { title: description } = new Refusal(status, "");
  return { description, content: { "application/problem+json": { schema: Problem } } };
}

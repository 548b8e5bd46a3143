import * as z from "zod/mini";

import { Reset } from "../../../src/admin/entry-answers.ts";
import { Health } from "../../../src/admin/health-answer.ts";
import * as metrics from "../../../src/admin/metrics-answers.ts";
import type { RefusalStatus } from "../../../src/admin/refusal.ts";
import * as rules from "../../../src/admin/rules-answers.ts";
import {
  HistoryBody,
  PublishBody,
  RequestBody,
  ResetBody,
  RollbackBody,
  TrialBody,
} from "../../../src/admin/schemas.ts";
import { CONTENT_TYPE } from "../../../src/metrics/open-metrics.ts";
import { Document } from "../live-document.ts";
import * as named from "./answers.ts";

/** The parts of a route's description that the route does not state itself. */
export interface Operation {
  readonly summary: string;
  readonly body?: z.ZodMiniType;
  /** The body of a 200; without it and `text` the answer is a 204. */
  readonly answer?: z.ZodMiniType;
  /** The type of a 200 that is a text. */
  readonly text?: string | undefined;
  /** The body of a 503, if that is no problem document. */
  readonly unavailable?: z.ZodMiniType;
  /** Those that not every route has. */
  readonly statuses?: readonly RefusalStatus[];
  readonly ifMatch?: "required" | "optional";
}

const entries = (list: string): Readonly<Record<string, Operation>> => ({
  [`GET /lists/${list}`]: {
    summary: `Lists the entries of ${list}: those of the document, and those that single calls put.`,
    answer: named.Entries,
  },
  [`PUT /lists/${list}`]: {
    summary: `Puts an entry on ${list}, in place of one for the same client.`,
    body: named.SentEntry,
    answer: named.KeptEntry,
    statuses: [409, 413, 415, 422],
  },
  [`DELETE /lists/${list}`]: {
    summary: `Takes an entry off ${list}, by the entry or by its id.`,
    body: named.SentEntry,
    statuses: [404, 409, 413, 415, 422],
  },
});

/** Every route by its method and path. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "GET /rules": { summary: "Reads the published document.", answer: rules.RulesAnswer },
  "PUT /rules": {
    summary: "Publishes a document, or says what it would change.",
    body: Document,
    answer: named.PublishedOrNot,
    statuses: [412, 413, 415, 422, 428],
    ifMatch: "required",
  },
  "DELETE /rules": {
    summary: "Takes the published document back: the deployed rules are in force.",
    statuses: [404, 412, 428],
    ifMatch: "required",
  },
  "GET /rules/draft": {
    summary: "Reads the draft.",
    answer: rules.DraftAnswer,
    statuses: [404],
  },
  "PUT /rules/draft": {
    summary: "Keeps a document as the draft.",
    body: Document,
    answer: rules.SavedDraft,
    statuses: [412, 413, 415, 422],
    ifMatch: "optional",
  },
  "POST /rules/draft": {
    summary: "As PUT.",
    body: Document,
    answer: rules.SavedDraft,
    statuses: [412, 413, 415, 422],
    ifMatch: "optional",
  },
  "POST /rules/publish": {
    summary: "Publishes the draft, if nothing was published since it was kept.",
    body: PublishBody,
    answer: rules.Published,
    statuses: [404, 412, 413, 415, 422],
    ifMatch: "optional",
  },
  "POST /rules/rollback": {
    summary:
      "Publishes an older version anew, by default the one before; without a version takes one back that is tried.",
    body: RollbackBody,
    answer: rules.Published,
    statuses: [404, 412, 413, 415, 422],
    ifMatch: "optional",
  },
  "PUT /rules/trial": {
    summary: "Gives the version that is tried to more clients, or to all.",
    body: TrialBody,
    answer: rules.Published,
    statuses: [404, 412, 413, 415, 422],
    ifMatch: "optional",
  },
  "GET /rules/history": {
    summary: "Lists the newest fifty versions, newest first.",
    answer: rules.History,
  },
  "GET /rules/diff": {
    summary: "Compares two of live, deployed, draft, and kept versions.",
    answer: rules.Difference,
    statuses: [404],
  },
  ...entries("allow"),
  ...entries("deny"),
  "GET /overrides": {
    summary: "Lists the overrides: those of the document, and those that single calls put.",
    answer: named.Overrides,
  },
  "PUT /overrides": {
    summary:
      "Puts an override, in place of one for the same identity, and says for which rules it holds.",
    body: named.SentOverride,
    answer: named.PutOverride,
    statuses: [409, 413, 415, 422],
  },
  "DELETE /overrides": {
    summary: "Removes an override, by its identity, its digest or its id.",
    body: named.NamedOverride,
    statuses: [404, 409, 413, 415, 422],
  },
  "POST /explain": {
    summary: "Says what would happen to a request, and why; takes nothing.",
    body: RequestBody,
    answer: named.Explanation,
    statuses: [413, 415, 422],
  },
  "POST /identities/reset": {
    summary:
      "Forgets what the policies hold of the client of a request, or of one that GET /top names.",
    body: z.union([RequestBody, ResetBody]),
    answer: Reset,
    statuses: [413, 415, 422],
  },
  "GET /audit": {
    summary: "Lists five hundred writes, newest first: the newest, or those before one.",
    answer: rules.Audit,
  },
  "GET /health": {
    summary: "Says whether decisions come from Redis, and which rules are enforced.",
    answer: Health,
    unavailable: Health,
  },
  "GET /metrics": {
    summary: "Counts since the beginning, as OpenMetrics for a Prometheus.",
    text: CONTENT_TYPE.split(";")[0],
  },
  "GET /stats": {
    summary: "Counts by the minute of a day, or by the hour of a month.",
    answer: metrics.Stats,
  },
  "GET /top": {
    summary: "The partitions that were denied most, or have little left most often.",
    answer: metrics.Top,
  },
  "POST /partitions/history": {
    summary: "How often one partition was denied or had little left.",
    body: HistoryBody,
    answer: metrics.PartitionHistory,
    statuses: [413, 415, 422],
  },
};

const MOMENT = "A moment with its time zone, or milliseconds since 1970; by default";

/** The parameters of queries: by path and name, else by name. */
export const PARAMETERS: Readonly<Record<string, string>> = {
  before: "The n of an entry: those before it are listed.",
  "dry-run": "Without a value: says what would change, and writes nothing. READ_TOKEN may, too.",
  held: "Without a value: what the isolate that answers enforces, whatever Redis has, with the entries by single calls in its lists.",
  percent:
    "Publishes it to this part of the clients, from 1 to 99, beside the version that the others keep.",
  "max-denied":
    "With percent: the share of its decisions that may be denials before it is taken back, such as 0.05.",
  note: "For the history, at most 200 characters.",
  from: "live, deployed, draft, or a version; live by default.",
  to: "live, deployed, draft, or a version; draft by default.",
  "/stats from": `${MOMENT} an hour, or a day, before to.`,
  "/stats to": `${MOMENT} now.`,
  step: "minute or hour; minute by default.",
  "/top from": `${MOMENT} an hour before to.`,
  "/top to": `${MOMENT} now.`,
  "/partitions/history from": `${MOMENT} an hour before to.`,
  "/partitions/history to": `${MOMENT} now.`,
  last: "How long the span is, instead of from: a time with its unit, such as 6h.",
  kind: "denied or near; denied by default.",
  id: "Of the entry, instead of a body.",
};

import { SHARED_IDENTITY } from "../../../../src/adapter/partitions.ts";
import { momentIn } from "../../../../src/runtime/moment-in.ts";
import { waitInWords } from "../../../../src/runtime/wait-in-words.ts";
import type { Explanation, NamedClient } from "../answers.ts";
import { entryName } from "./entries.ts";
import { escape } from "./escape.ts";
import { inline } from "./print.ts";
import { styled } from "./style.ts";
import { table } from "./table.ts";

/** The meaning of each verdict for the request. */
const MEANINGS: Readonly<Record<string, string>> = {
  allowed: "The request passes: every policy has room.",
  denied: "The request is denied.",
  exempt: "The request passes without being counted: a list exempts the client.",
  blocked: "The request is refused: a list blocks the client.",
  refused: "The request is refused before any policy is asked.",
  passed: "The request passes: no rule covers it.",
};

/** Why no policy was asked, and the entries behind it; `undefined` where one may have been. */
export function meaningOfUncounted({ verdict, entries = [] }: Explanation): string | undefined {
  if (verdict === "allowed" || verdict === "denied") return undefined;
  const meaning = MEANINGS[verdict] ?? `The verdict is ${escape(verdict)}.`;
  return entries.length === 0 ? meaning : `${meaning} (${entries.map(entryText).join(", ")})`;
}

/** A table of the policies that cover the request, and a sentence with the verdict. */
export function explanationLines(explanation: Explanation): readonly string[] {
  const isCounted = explanation.rules.some(({ policies }) =>
    policies.some(({ deniedLastHour }) => deniedLastHour !== undefined),
  );
  const isRenewed = explanation.rules.some(({ policies }) =>
    policies.some(({ renewsAt }) => renewsAt !== undefined),
  );
  const rows = explanation.rules.flatMap(({ index, policies }) =>
    policies.map((policy) => [
      `rules[${index}]`,
      policy.name,
      policy.mode ?? "enforce",
      policy.partition ?? undefined,
      policy.limit,
      policy.remaining,
      waitOf(policy.retryAfterMs),
      ...(isRenewed ? [renewalOf(policy)] : []),
      policy.allowed ? "yes" : "no",
      ...(isCounted ? [policy.deniedLastHour] : []),
    ]),
  );
  const head = ["rule", "policy", "mode", "partition", "limit", "left", "retry after"];
  if (isRenewed) head.push("renews");
  head.push("room");
  if (isCounted) head.push("denied (1 h)");
  return [
    ...(rows.length > 0 ? [table(head, rows), ""] : []),
    sentenceOf(explanation),
    ...digestLines(explanation),
    ...(rows.length > 0 && isWithoutRedis(explanation) ? [WITHOUT_REDIS] : []),
    ...(rows.some((row) => row.includes(SHARED_IDENTITY)) ? [INCOMPLETE] : []),
  ];
}

/** An override names an address by its digest only. */
function digestLines({ rules }: Explanation): readonly string[] {
  const lines = rules.flatMap(({ policies }) =>
    policies.flatMap(({ partition, digest }) =>
      digest === undefined
        ? []
        : [`The digest of ${escape(partition ?? "")} is ${escape(digest)}.`],
    ),
  );
  return [...new Set(lines)];
}

/** Often it is the description that lacks something, and not the client. */
const INCOMPLETE = `${SHARED_IDENTITY}: the request as described has nothing that this policy counts by. Describe what the client sends, with --ip and -H.`;

/** The table then shows counts that other isolates do not share. */
const WITHOUT_REDIS =
  "Redis does not answer: what is left is by the count of the isolate that answered, and each policy's onFailure decides. `tidegate doctor` finds the cause.";

function isWithoutRedis({ reason }: Explanation): boolean {
  return reason?.startsWith("store-unavailable") === true;
}

/** An entry that names a client, and when it ends. */
function entryText(entry: NamedClient): string {
  const name = escape(entryName(entry) ?? "");
  return entry.until === undefined ? name : `${name} until ${escape(String(entry.until))}`;
}

/** A wait of seconds has its milliseconds, too. */
const EXACT_BELOW_MS = 60_000;

function waitOf(ms: number | null = 0): string {
  if (ms === null) return "never";
  if (ms <= 0) return "-";
  return ms < EXACT_BELOW_MS ? `${Math.ceil(ms) / 1000} s` : waitInWords(Math.ceil(ms / 1000));
}

/** When the window of a calendar ends, by the clocks of its time zone. */
function renewalOf({
  renewsAt,
  timeZone,
}: {
  readonly renewsAt?: string | undefined;
  readonly timeZone?: string | undefined;
}): string | undefined {
  if (renewsAt === undefined || timeZone === undefined) return undefined;
  return escape(momentIn(timeZone, renewsAt) ?? renewsAt);
}

function sentenceOf({ verdict, status, reason, retryAfter, ...rest }: Explanation): string {
  const meaning = MEANINGS[verdict] ?? `The verdict is ${escape(verdict)}.`;
  const passes = ["allowed", "exempt", "passed"].includes(verdict);
  const details = [
    ...(status === undefined || status === null ? [] : [`status ${status}`]),
    ...(reason && reason !== verdict ? [`reason: ${escape(reason)}`] : []),
    ...(retryAfter === undefined ? [] : [`retry after ${waitInWords(retryAfter)}`]),
    ...(rest.plan ? [`plan ${escape(rest.plan)}`] : []),
    ...(rest.override ? [`override ${inline(rest.override)}`] : []),
    ...(rest.entries ?? []).map((entry) => `entry ${entryText(entry)}`),
    ...(rest.version === undefined ? [] : [`rules of version ${rest.version}`]),
  ];
  const shown = styled(passes ? "green" : "red", meaning);
  return details.length === 0 ? shown : `${shown} (${details.join("; ")})`;
}

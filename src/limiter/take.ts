import type { Row } from "../algorithms/model.ts";
import { denies } from "../decision/outcome.ts";
import { StoreError } from "../errors/errors.ts";
import type { Draw, Step } from "../lease/draw.ts";
import { PartialReplyError } from "../store/partial-reply.ts";
import type { Reply } from "../store/store.ts";
import { type PartitionedRequest, partOf, type Selection } from "./selection.ts";

/** An answer about some groups of a request, by their indices. */
interface PartialAnswer {
  readonly groups: readonly number[];
  /** What the request asks of these groups. */
  readonly request: PartitionedRequest;
  readonly reply: Reply;
  /** When it was asked for and received, in milliseconds of the isolate's clock. */
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

/** What was found out about a request some of whose groups have leases. */
interface Found {
  /** What to learn, as it stands now. */
  readonly answers: () => readonly PartialAnswer[];
}

/** A decision. */
export interface Decided extends Found, Reply {
  readonly error?: undefined;
  /** The whole request; or, if units of a group are denied for now, what it asks of that group. */
  readonly request: PartitionedRequest;
}

/** What is known where the store gave no answer. */
export interface Undecided extends Found {
  readonly error: StoreError;
  /** One per policy; a hole for those that are not answered. */
  readonly rows: readonly (Row | undefined)[];
  /** The clocks by which these were counted, in microseconds. */
  readonly clocksUs: readonly (number | undefined)[];
  /** Why the others were not answered. */
  readonly failures: readonly (StoreError | undefined)[];
  /** Gives back what was taken; resolves with the rows as they are then, where that is known. */
  readonly giveBack: PartialReplyError["giveBack"];
}

/**
 * Takes the cost of a request some of whose groups have leases, or nothing: first from what is held, and then, with one
 * call for all other groups, from the store. What was held goes back if they deny.
 *
 * @param now the isolate's monotonic clock, in milliseconds
 */
export async function take(
  request: PartitionedRequest,
  keysOf: (part: PartitionedRequest) => readonly string[],
  askStore: (part: PartitionedRequest) => Reply | Promise<Reply>,
  now: () => number,
): Promise<Decided | Undecided> {
  const sentAtMs = now();
  const draws = drawsOf(request);
  const groups = [...draws.keys()];
  const spent = new Set<number>();
  /** What the store was asked last. */
  let asked: readonly number[] = [];

  const withStep = (step: Step) => groups.filter((group) => draws[group]?.step === step);
  const unspent = () => groups.filter((group) => !spent.has(group));
  const spend = (group: number) => draws[group]?.spend() === true && spent.add(group);
  const putBack = () => {
    for (const group of spent) draws[group]!.putBack();
  };
  const admit = () => {
    for (const draw of draws) draw?.admit();
  };

  /** Renews leases for the request. Returns the group whose lease was denied. */
  async function renew(leases: readonly number[]): Promise<number | undefined> {
    for (const group of leases) {
      if (await draws[group]!.renew(keysOf(partOf(request, [group])))) spent.add(group);
      // A group that only advises denies nobody: the store says what it would do, and the others decide.
      else if (request.selection.groups[group]!.denying.length > 0) return group;
    }
    return undefined;
  }

  async function ask(): Promise<PartialAnswer | undefined> {
    while ((asked = unspent()).length > 0) {
      const askedAtMs = now();
      const part = partOf(request, asked);
      const reply = await askStore(part);
      const denying = denyingGroups(part, reply).map((i) => asked[i]!);
      const shortened = { ...reply, rows: shorten(part, reply, askedAtMs) };
      const isHeld = denying.length > 0 && denying.every((group) => draws[group]?.canSpend());
      if (!isHeld) {
        if (denying.length > 0) putBack();
        else admit();
        const [sentAtMs, receivedAtMs] = [askedAtMs, now()];
        return { groups: asked, request: part, reply: shortened, sentAtMs, receivedAtMs };
      }
      // Leases that arrived meanwhile took what the store no longer had.
      denying.forEach(spend);
    }
    admit();
    return undefined;
  }

  function shorten({ selection }: PartitionedRequest, { rows }: Reply, askedAtMs: number) {
    return asked.flatMap((group, i) => {
      const own = rowsOf(selection, rows, i);
      return draws[group]?.answered(own, askedAtMs) ?? own;
    });
  }

  /** What is known of a group for which units were spent, or denied. */
  const held = (group: number, allowed: boolean): PartialAnswer => ({
    groups: [group],
    request: partOf(request, [group]),
    reply: draws[group]!.reply(allowed),
    sentAtMs,
    receivedAtMs: now(),
  });

  function takenBy(answer: PartialAnswer | undefined): Decided {
    const answers = [...(answer ? [answer] : []), ...[...spent].map((group) => held(group, true))];
    const rows: Row[][] = [];
    for (const { groups: about, request: part, reply } of answers) {
      about.forEach((group, i) => (rows[group] = rowsOf(part.selection, reply.rows, i)));
    }
    return { request, rows: rows.flat(), nowUs: answers[0]!.reply.nowUs, answers: () => answers };
  }

  function deniedBy(group: number): Decided {
    putBack();
    const answer = held(group, false);
    return { ...answer.reply, request: answer.request, answers: () => [answer] };
  }

  /** Spends what is held, where the store gave no answer. */
  function failedBy(error: StoreError): Decided | Undecided {
    const partial = error instanceof PartialReplyError ? error : undefined;
    const rows: (Row | undefined)[] = [];
    const clocksUs: (number | undefined)[] = [];
    const failures: (StoreError | undefined)[] = request.selection.policies.map(() => error);
    const { starts } = request.selection;
    const keep = <Each>(list: Each[], group: number, own: readonly Each[]) =>
      own.forEach((each, i) => (list[starts[group]! + i] = each));
    const part = partOf(request, asked);
    if (partial) {
      asked.forEach((group, i) => {
        keep(rows, group, rowsOf(part.selection, partial.rows, i));
        keep(clocksUs, group, rowsOf(part.selection, partial.clocksUs, i));
        keep(failures, group, rowsOf(part.selection, partial.failures, i));
      });
    }
    for (const group of unspent()) {
      if (!rows[starts[group]!] && !spend(group)) draws[group]?.drop();
    }
    if (!partial && spent.size === groups.length) return takenBy(undefined);
    for (const group of spent) {
      const { reply } = held(group, true);
      keep(rows, group, reply.rows);
      keep(
        clocksUs,
        group,
        reply.rows.map(() => reply.nowUs),
      );
    }
    return {
      error,
      rows,
      clocksUs,
      failures,
      async giveBack() {
        putBack();
        const left = (await partial?.giveBack()) ?? [];
        const whole: (Row | undefined)[] = [];
        asked.forEach((group, i) =>
          rowsOf(part.selection, left, i).forEach((row, at) => (whole[starts[group]! + at] = row)),
        );
        return whole;
      },
      answers: () => [...spent].map((group) => held(group, true)),
    };
  }

  const [short] = withStep("deny");
  if (short !== undefined) return deniedBy(short);
  withStep("spend").forEach(spend);
  try {
    const renewing = withStep("renew");
    const denied = renewing.length > 0 ? await renew(renewing) : undefined;
    return denied === undefined ? takenBy(await ask()) : deniedBy(denied);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return failedBy(error);
  }
}

/** Notes that a group denied a request without being asked: that clients are kept away does not make its demand smaller. */
export function noteDenied(request: PartitionedRequest, group: number): void {
  const { leases } = request.selection.groups[group]!;
  const cost = leases ? leasedCost(request, group) : 0;
  if (cost > 0) leases!.countDenied(request.partitions[group]!, cost);
}

/** For each group that has leases, the request's draw on them. */
function drawsOf(request: PartitionedRequest): (Draw | undefined)[] {
  const { selection, partitions } = request;
  return selection.groups.map(({ leases }, i) => {
    const cost = leasedCost(request, i);
    return cost > 0 ? leases?.draw(partitions[i]!, cost) : undefined;
  });
}

/** What a request costs a group; 0 if its policies cost different units, so that the store decides. */
function leasedCost({ selection, costs }: PartitionedRequest, group: number): number {
  const start = selection.starts[group]!;
  const cost = costs[start]!;
  const { policies } = selection.groups[group]!;
  return policies.every((_, policy) => costs[start + policy] === cost) ? cost : 0;
}

/** The groups of a request that deny it, by their indices. */
function denyingGroups({ selection }: PartitionedRequest, { rows }: Reply): number[] {
  const all = { policies: selection.policies, rows };
  return selection.groups.flatMap(({ policies }, i) =>
    policies.some((_, policy) => denies(all, selection.starts[i]! + policy)) ? [i] : [],
  );
}

/** Of the rows of a selection, those of one group. */
function rowsOf<Each>({ starts, groups }: Selection, rows: readonly Each[], group: number): Each[] {
  return rows.slice(starts[group], starts[group]! + groups[group]!.policies.length);
}

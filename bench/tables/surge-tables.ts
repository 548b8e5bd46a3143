import { markdownTable } from "../../scripts/support/markdown-table.ts";
import type { SurgeResults } from "../surge/results.ts";
import { sceneTable, setupTable } from "../surge/table.ts";

/** Marks where the figures of `npm run surge` follow: all of them, those that tell the story, the README's, or the scenes. */
const MARKED = /^<!-- surge: (all|story|summary|scenes) -->\n[^]*?^<!-- end -->$/gm;

const STORY = [
  "failed",
  "served: median",
  "served: p99",
  "429 with a call of Redis: mean (how many)",
  "429 from the isolate: mean (how many)",
  "calls of the matching service",
  "its capacity that did useful work",
  "riders served",
  "admitted beyond a policy",
];
/** The rows that the README shows. */
const SUMMARY = ["failed", "served: p99", "calls of the matching service", "riders served"];
/** Without a limiter, with each layer of it, and as it was reported. */
const STORY_COLUMNS = ["", "no limiter", "bucket per rider", "+ ceiling", "+ jitter"];

/** A document with the figures between each pair of markers replaced by those of the results. */
export function withSurgeTables(document: string, results: SurgeResults): string {
  const [headings, ...rows] = setupTable(results);
  const columns = STORY_COLUMNS.map((heading) => headings!.indexOf(heading));
  const storyOf = (names: readonly string[]) => {
    const chosen = [headings!, ...names.map((name) => rows.find((row) => row[0] === name)!)];
    return markdownTable(chosen.map((row) => columns.map((column) => row[column]!)));
  };
  const tables = {
    scenes: markdownTable(sceneTable(results.scenes)),
    all: markdownTable([headings!, ...rows]),
    story: storyOf(STORY),
    summary: storyOf(SUMMARY),
  };
  return document.replace(
    MARKED,
    (_marked, which: keyof typeof tables) =>
      `<!-- surge: ${which} -->\n\n${tables[which]}\n\n<!-- end -->`,
  );
}

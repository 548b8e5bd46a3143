import { gzipSync } from "node:zlib";

import { bundle } from "../../support/bundle.ts";
import { compare } from "../compare.ts";
import { atMost, type Figure, type Part } from "../figure.ts";
import { measureEntries } from "./entries.ts";
import { TIDEGATE, UPSTASH } from "./handlers.ts";
import { measureWorkers } from "./workers.ts";

const gzipped = (text: string) => gzipSync(text, { level: 9 }).length;

/** The size of the code that an edge deployment loads. */
export const bundlePart: Part = async (): Promise<Figure[]> => {
  const ours = await bundle(TIDEGATE);
  const theirs = await bundle(UPSTASH);
  const workers = await measureWorkers();
  const entries = await measureEntries();
  const peer = "@upstash/ratelimit + redis";
  return [
    {
      name: "handler with limit(), gzipped",
      unit: "bytes",
      ...compare([gzipped(ours)], peer, [gzipped(theirs)]),
      target: atMost(0.9),
    },
    {
      name: "handler with limit(), minified",
      unit: "bytes",
      ...compare([ours.length], peer, [theirs.length]),
    },
    ...workers,
    ...entries,
  ];
};

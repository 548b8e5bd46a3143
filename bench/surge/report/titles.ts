import type { SetupName } from "../results.ts";

/** The set-ups as the table names them. */
export const TITLES: Record<SetupName, string> = {
  without: "no limiter",
  bucket: "bucket per rider",
  ceiling: "+ ceiling",
  with: "+ jitter",
  upstashTokenBucket: "@upstash bucket",
  upstashSlidingWindow: "@upstash window",
};

/** As pictures name them, where none stands beside the one that it adds to. */
export const NAMES: Record<SetupName, string> = {
  ...TITLES,
  ceiling: "bucket and ceiling",
  with: "all layers",
};

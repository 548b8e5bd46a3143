import { TAKES } from "../../store/redis/take-calls.ts";
import { HOME_WORDS, openRegion } from "../../store/region/open-region.ts";
import { answerAlone } from "./answer-alone.ts";
import { compileRegion } from "./compile-region.ts";
import { countDenied } from "./count-denied.ts";

/** A store nearby, which spends units that it took at home before. */
export const regions = {
  scripts: { take: TAKES },
  compile: compileRegion,
  open: openRegion,
  homeWords: HOME_WORDS,
  steps: countDenied,
  answerAlone,
};

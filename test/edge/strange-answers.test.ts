import { strangeAnswers } from "../support/store/strange-answers.ts";

strangeAnswers("Vercel's runtime");

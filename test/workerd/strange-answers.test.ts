import { strangeAnswers } from "../support/store/strange-answers.ts";

strangeAnswers("workerd");

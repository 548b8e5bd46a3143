// Checks the types of the site's components: `node scripts/site/check-vue.ts -p docs/.vitepress`. The checker of Vue extends a
// compiler that is written in JavaScript, which TypeScript 7 is not.

import { createRequire } from "node:module";

import { run } from "vue-tsc";

run(createRequire(import.meta.url).resolve("typescript-5/lib/tsc.js"));

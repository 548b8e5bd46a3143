// The theme without its web font: pages use the fonts of the reader's system.
import DefaultTheme from "vitepress/theme-without-fonts";

import AlgorithmPlayground from "./playground/AlgorithmPlayground.vue";

import "./site.css";

export default {
  extends: DefaultTheme,
  enhanceApp({ app }: { readonly app: import("vue").App }) {
    app.component("AlgorithmPlayground", AlgorithmPlayground);
  },
};

import "./style/main.css";
import { render } from "hono/jsx/dom";

import { App } from "./app/app.tsx";
import { followTheme } from "./app/theme.ts";

followTheme();
render(<App />, document.getElementById("app")!);

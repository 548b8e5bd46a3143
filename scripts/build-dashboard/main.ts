// Builds the dashboard into dist/dashboard.

import { buildDashboard } from "./build.ts";

await buildDashboard();

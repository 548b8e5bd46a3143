/**
 * The administration of a gateway over HTTP, and what counts its requests: `import { admin, metrics } from "tidegate/admin"`.
 *
 * @module
 */

export { admin } from "./admin/admin.ts";
export { metrics } from "./metrics/recorder.ts";
export type { Admin } from "./gateway/administration/administered.ts";

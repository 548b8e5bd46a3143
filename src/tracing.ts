/**
 * Decisions on spans: `import { spanAttributes } from "tidegate/tracing"`. It brings no tracer of its own.
 *
 * @module
 */

export {
  type ActiveSpan,
  spanAttributes,
  type Tracing,
} from "./features/telling/span-attributes.ts";

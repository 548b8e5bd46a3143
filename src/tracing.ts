/**
 * Attributes of decisions for spans: `import { spanAttributes } from "tidegate/tracing"`. It works with any tracer.
 *
 * @module
 */

export { type ActiveSpan, spanAttributes, type Tracing } from "./features/span-attributes.ts";

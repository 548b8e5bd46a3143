// The main module of the tests in workerd: it exports the classes that the bindings LIMITS and NEARBY name.

export { TidegateObject, TidegateRegion } from "../../src/durable-object.ts";

export default { fetch: () => new Response("not asked", { status: 404 }) };

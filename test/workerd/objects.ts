// The main module of the tests in workerd: it exports the class that the binding LIMITS names.

export { TidegateObject } from "../../src/durable-object.ts";

export default { fetch: () => new Response("not asked", { status: 404 }) };

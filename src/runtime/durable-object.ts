/**
 * Replaces the platform's class where there are no Durable Objects, so that a module that extends it can be imported.
 */
export const DurableObject = Object as new (context: object, environment: unknown) => object;

/** Stands for the platform's class where there are no Durable Objects, so that a module that extends it can be imported. */
export class DurableObject {
  protected readonly ctx: object;
  protected readonly env: unknown;

  constructor(ctx: object, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

// Only the functions that the tests call: these packages bring no types of their own.

interface NodeOrigin {
  (
    request: import("node:http").IncomingMessage,
    response: import("node:http").ServerResponse,
  ): void;
}

interface ExpressResponse {
  set(name: string, value: string): this;
  end(): void;
}

interface ExpressApp extends NodeOrigin {
  all(path: string, handler: (request: unknown, response: ExpressResponse) => void): void;
  post(path: string, handler: (request: unknown, response: ExpressResponse) => void): void;
}

declare module "express4" {
  export default function express(): ExpressApp;
}

declare module "express5" {
  export default function express(): ExpressApp;
}

declare module "koa" {
  export default class Koa {
    use(middleware: unknown): this;
    callback(): NodeOrigin;
  }
}

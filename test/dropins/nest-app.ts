import "reflect-metadata";
import { Controller, Get, type INestApplication, Module } from "@nestjs/common";
import { APP_GUARD, NestFactory } from "@nestjs/core";
import { ThrottlerGuard, ThrottlerModule } from "@nestjs/throttler";
import { onTestFinished } from "vitest";

import type { TidegateThrottlerStorage } from "../../src/nest-throttler.ts";

export type Storage = Pick<TidegateThrottlerStorage, "increment">;

/** Starts an application of Nest with one limited route, until the test has ended, and gives its address. Decorators are functions. */
export async function serve(storage: Storage, ...throttlers: readonly object[]): Promise<string> {
  class Hello {
    hello(): string {
      return "hello";
    }
  }
  const hello = Object.getOwnPropertyDescriptor(Hello.prototype, "hello")!;
  Get("/hello")(Hello.prototype, "hello", hello);
  Controller()(Hello);
  class App {
    readonly limited = true;
  }
  Module({
    imports: [ThrottlerModule.forRoot({ throttlers: throttlers as never, storage })],
    controllers: [Hello],
    providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
  })(App);
  const app: INestApplication = await NestFactory.create(App, { logger: false });
  onTestFinished(() => app.close());
  await app.listen(0, "127.0.0.1");
  return `${await app.getUrl()}/hello`;
}

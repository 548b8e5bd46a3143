import "reflect-metadata";
import { Controller, Get, Module } from "@nestjs/common";
import { APP_GUARD, NestFactory } from "@nestjs/core";
import { ThrottlerGuard, ThrottlerModule } from "@nestjs/throttler";
import { Redis } from "ioredis";
import { TidegateThrottlerStorage } from "tidegate/nest-throttler";
import { fromIoredis } from "tidegate/node";

const redis = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379", {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
});
redis.on("error", (error) => console.error(`redis: ${error.message}`));

@Controller()
class HelloController {
  @Get()
  hello(): string {
    return "hello";
  }
}

@Module({
  imports: [
    ThrottlerModule.forRoot({
      throttlers: [{ ttl: 60_000, limit: 20 }],
      storage: new TidegateThrottlerStorage({ redis: fromIoredis(redis), prefix: "nest" }),
    }),
  ],
  controllers: [HelloController],
  providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ["error", "warn"] });
await app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");

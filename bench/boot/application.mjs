// Boots one application, tells what it took from the start of the process on, and ends.
import 'reflect-metadata';
import { performance } from 'node:perf_hooks';
import { HttpModule } from '@nestjs/axios';
import { Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { PlainPaymentDto } from '../calls/plain-dto.mjs';
import { decorate, decorateClass } from '../webhooks/decorate.mjs';

class Checkout {
  pay(body) {
    return validateSync(plainToInstance(PlainPaymentDto, body)).length;
  }
}
decorate(Checkout.prototype, 'pay', [Post('pay')]);
decorateClass(Checkout, [Controller('checkout')]);

const [variant] = process.argv.slice(2);
const module = decorateClass(class {}, [
  Module({ imports: [HttpModule, ...(await modulesOf(variant))], controllers: [Checkout] }),
]);
const app = await NestFactory.create(module, { logger: ['error'] });
await app.listen(0, '127.0.0.1');
const { user, system } = process.cpuUsage();
console.log(
  JSON.stringify({
    wallMs: performance.now(),
    cpuMs: (user + system) / 1_000,
    rssMb: process.memoryUsage().rss / 1_048_576,
  }),
);
process.exit();

async function modulesOf(name) {
  if (name === 'payments') return [await paymentsModule()];
  if (name !== 'alone') await import('@nestjs/config');
  if (name === 'agent') await import('undici/lib/dispatcher/agent.js');
  return [];
}

async function paymentsModule() {
  const { PaymentsModule } = await import('nestjs-payments');
  return PaymentsModule.forRoot({
    baseUrl: 'http://127.0.0.1:1/api/v1',
    apiKey: 'pk_test_bench',
    apiSecret: 'sk_test_bench',
  });
}

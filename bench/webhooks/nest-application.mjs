import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';

/** Serves a Nest module; counts what it logs while it runs. */
export async function serve(module, { adapter = 'express', ...options }, counts) {
  let started = false;
  const line = () => {
    if (started) counts.logged += 1;
  };
  const logger = { log: line, error: line, warn: line };
  const app = await create(module, adapter, { ...options, logger, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  app.getHttpServer().keepAliveTimeout = 600_000;
  started = true;
  return { port: app.getHttpServer().address().port, counts };
}

async function create(module, adapter, options) {
  if (adapter === 'express') return NestFactory.create(module, options);
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  return NestFactory.create(module, new FastifyAdapter(), options);
}

import type { AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';

/** The one that `HTTP_ADAPTER` names. */
export function httpAdapter(): AbstractHttpAdapter {
  switch (process.env.HTTP_ADAPTER) {
    case 'express':
      return new ExpressAdapter();
    case 'fastify':
      return new FastifyAdapter();
    default:
      throw new Error(`HTTP_ADAPTER is '${process.env.HTTP_ADAPTER}': write 'express' or 'fastify'.`);
  }
}

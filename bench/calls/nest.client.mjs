import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadPeers } from '../boot/peers.mjs';
import { decorateClass } from '../webhooks/decorate.mjs';

/**
 * Another client of this folder inside an application of Nest.
 *
 * @param inside Its name.
 * @param peers Whether the application uses what most applications use beside Nest.
 */
export async function start({ inside, peers = false, ...options }) {
  const module = decorateClass(class {}, [Module({ imports: peers ? await loadPeers() : [] })]);
  await NestFactory.createApplicationContext(module, { logger: ['error', 'warn'] });
  const client = await import(`./${inside}.client.mjs`);
  return client.start(options);
}

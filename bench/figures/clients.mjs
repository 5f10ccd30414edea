import { startChild } from '../shared/child.mjs';

/** Starts the gateway and one process for each client. */
export async function startClients(clients, { tls, env } = {}) {
  const gateway = await startChild('targets/gateway.mjs', { tls });
  const { value: port } = await gateway.ask('port');
  const baseUrl = `${tls ? 'https' : 'http'}://127.0.0.1:${port}/api/v1`;
  const subjects = [];
  for (const { name, execArgv, ...options } of clients) {
    const child = await startChild('calls/driver.mjs', { ...options, baseUrl }, { env, execArgv });
    subjects.push({ name, child });
  }
  const stop = () => Promise.all([gateway, ...subjects.map(({ child }) => child)].map((each) => each.stop()));
  return { gateway, subjects, stop };
}

export const BARE = 'bare node:http';
export const STRIPE = 'stripe-node';
export const PLAIN = 'HttpService, firstValueFrom, class-transformer';
export const MODULE = 'nestjs-payments';
export const THROUGH_AXIOS = 'nestjs-payments, through axios';

export const CLIENTS = [
  { name: BARE, client: 'bare' },
  { name: MODULE, client: 'module' },
  { name: THROUGH_AXIOS, client: 'module', throughAxios: true },
  { name: STRIPE, client: 'stripe' },
  { name: PLAIN, client: 'plain' },
];

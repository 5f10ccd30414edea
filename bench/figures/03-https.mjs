import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleaved } from '../shared/rounds.mjs';
import { atMost, rowsOf, timesAtMost } from '../shared/result.mjs';
import { MODULE, startClients } from './clients.mjs';

const CALLS = 1_000;
const BARE_HTTPS = 'bare node:https';
const TLS = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'test', 'support', 'tls');
const tls = { cert: join(TLS, 'loopback.cert.pem'), key: join(TLS, 'loopback.key.pem') };
const CLIENTS = [
  { name: BARE_HTTPS, client: 'bare' },
  { name: MODULE, client: 'module' },
  { name: 'stripe-node', client: 'stripe' },
];

export const title = 'Sequential HTTPS calls';

export async function measure(size) {
  const { gateway, subjects, stop } = await startClients(CLIENTS, {
    tls,
    env: { NODE_EXTRA_CA_CERTS: tls.cert },
  });
  const calls = Math.ceil(CALLS * size.share);
  const opened = new Map(subjects.map(({ name }) => [name, 0]));
  const samples = await interleaved(subjects, size, async ({ name, child }) => {
    const { value: before } = await gateway.ask('connections');
    const { cpuMs } = await child.ask('oneByOne', calls);
    const { value: after } = await gateway.ask('connections');
    opened.set(name, opened.get(name) + after - before);
    return (cpuMs * 1_000) / calls;
  });
  await stop();
  return {
    unit: 'µs of CPU a call',
    rows: rowsOf(samples, BARE_HTTPS),
    goals: [
      atMost('connections', opened.get(MODULE), 1, ''),
      timesAtMost(`against ${BARE_HTTPS}`, samples, MODULE, BARE_HTTPS, 1.8),
    ],
    remarks: [
      `${calls} calls a round; connections over all rounds: ${[...opened].map(([name, count]) => `${name} ${count}`).join(', ')}.`,
    ],
  };
}

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startSandbox } from '../../../test/support/sandbox.js';
import { PayrollDesk } from './payroll-desk.js';

it('a desk that stops does not wait for the connections that a browser has opened ahead', async () => {
  const desk = await PayrollDesk.open(await startSandbox());
  const { hostname, port } = new URL(desk.url);
  const ahead = connect(Number(port), hostname);
  const isClosed = once(ahead, 'close');
  await once(ahead, 'connect');
  // The server takes connections in turn: it has the first one by now.
  expect((await fetch(desk.url)).status).toBe(200);
  await desk.close();
  await isClosed;
});

import { startChild } from '../shared/child.mjs';
import { measureStorage } from '../throughput/measure.mjs';
import { chosenStorages } from '../throughput/subjects.mjs';
import { busiest, COLUMNS, goalsOfStorage, rowsOfStorage } from '../throughput/table.mjs';

export const title = 'Webhooks a second';

export async function measure(size) {
  const load = await startChild('targets/load.mjs');
  const burst = async ({ children, subject, times, concurrency }) => {
    const { value: references } = await children[0].ask('payments', times * children.length);
    const ports = await all(children, 'port', subject);
    const before = await sum(children, 'cpuMs');
    const handled = await sum(children, 'handled');
    const { value, cpuMs: helperCpuMs } = await load.ask('throughput', ports, references, concurrency);
    const cpuMs = (await sum(children, 'cpuMs')) - before;
    const handlers = (await sum(children, 'handled')) - handled;
    if (subject === 'package' && handlers !== value.done)
      throw new Error(
        `${handlers} of ${value.done} webhooks were handled: ${JSON.stringify(value.failures)}`,
      );
    return { ...value, cpuMs, helperCpuMs };
  };
  const measured = [];
  for (const storage of chosenStorages({ transactional: true }, size.storages)) {
    measured.push(await measureStorage(storage, { size, driver: 'throughput/webhooks.mjs', burst }));
  }
  await load.stop();
  const present = measured.filter(({ absent }) => !absent);
  return {
    unit: 'webhooks/s',
    columns: COLUMNS,
    rows: present.flatMap(rowsOfStorage),
    goals: present.flatMap(goalsOfStorage),
    remarks: [
      'Signed webhooks of 1 kB over raw sockets, as many as webhooks at once, each about a payment that the journal has accepted, to a Nest application on Express with one handler that does nothing. By hand, in a Nest route with `rawBody: true`, with the same driver or ORM and the same pool of 10 connections: the statements or commands that the package sends for one webhook, recorded when the figure starts. Beside the memory storage stands the empty route. CPU is that of the receiving process, a webhook. One round warms up.',
      `Statements of a webhook: ${present.map(({ name, statements }) => `${name} ${statements}`).join(', ')}. All processes share the cores of one machine with the load and the server. The load used at most ${busiest(present, 1)} beside one process, its signing included.`,
      ...measured.flatMap(({ absent }) => absent ?? []),
    ],
  };
}

async function all(children, ...asked) {
  const answers = await Promise.all(children.map((child) => child.ask(...asked)));
  return answers.map(({ value }) => value);
}

async function sum(children, what) {
  return (await all(children, what)).reduce((total, value) => total + value, 0);
}

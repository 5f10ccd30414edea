import { startChild } from '../shared/child.mjs';
import { measureStorage } from '../throughput/measure.mjs';
import { chosenStorages } from '../throughput/subjects.mjs';
import { busiest, COLUMNS, goalsOfStorage, rowsOfStorage } from '../throughput/table.mjs';
import { merged } from '../throughput/merged.mjs';

export const title = 'Payments a second';

export async function measure(size) {
  const gateway = await startChild('targets/gateway.mjs');
  const { value: port } = await gateway.ask('port');
  const cpu = async () => (await gateway.ask('cpuMs')).value;
  const burst = async ({ children, subject, times, concurrency }) => {
    const before = await cpu();
    const results = await Promise.all(
      children.map((child) => child.ask('many', subject, times, concurrency)),
    );
    const cpuMs = results.reduce((sum, result) => sum + result.cpuMs, 0);
    return { ...merged(results.map(({ value }) => value)), cpuMs, helperCpuMs: (await cpu()) - before };
  };
  const options = { baseUrl: `http://127.0.0.1:${port}/api/v1` };
  const measured = [];
  for (const storage of chosenStorages({ transactional: false }, size.storages)) {
    measured.push(await measureStorage(storage, { size, driver: 'throughput/payments.mjs', options, burst }));
  }
  await gateway.stop();
  const present = measured.filter(({ absent }) => !absent);
  return {
    unit: 'payments/s',
    columns: COLUMNS,
    rows: present.flatMap(rowsOfStorage),
    goals: present.flatMap(goalsOfStorage),
    remarks: [
      'CollectionsService.mobileMoney of a Nest application, with the gateway in a process of its own, which answers at once. By hand, with the same driver or ORM and the same pool of 10 connections: the statements or commands that the package sends for one payment, recorded when the figure starts, and the same HTTP request with undici. Beside the memory storage stands the bare request. CPU is that of the paying process, a payment. One round warms up. Time-outs include results that the journal did not take in time, whose payments succeeded anyway (“written late”).',
      `Statements of a payment: ${present.map(({ name, statements }) => `${name} ${statements}`).join(', ')}. All processes share the cores of one machine with the gateway and the server. The gateway used at most ${busiest(present, 1)} beside one process.`,
      ...measured.flatMap(({ absent }) => absent ?? []),
    ],
  };
}

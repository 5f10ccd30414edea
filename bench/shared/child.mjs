import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HOST = join(dirname(fileURLToPath(import.meta.url)), 'host.mjs');
const running = new Set();

/** Starts a process that holds what a file under bench/ opens. */
export async function startChild(file, options = {}, { env = {}, execArgv = [] } = {}) {
  const child = fork(HOST, [join(HOST, '..', '..', file), JSON.stringify(options)], {
    execArgv,
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  running.add(child);
  const ended = once(child, 'exit').then(([code]) => {
    running.delete(child);
    throw new Error(`${file} ${JSON.stringify(options)} ended by itself (${code}).`);
  });
  ended.catch(() => {});
  const [first] = await Promise.race([once(child, 'message'), ended]);
  if (first.failure !== undefined) throw new Error(first.failure);
  return { ask: asker(child, ended), stop: () => stop(child) };
}

/** Ends what still runs, also after a failure. */
export async function stopChildren() {
  await Promise.all([...running].map(stop));
}

function asker(child, ended) {
  let lastId = 0;
  return async (name, ...args) => {
    const id = (lastId += 1);
    const answered = new Promise((resolve) => {
      const hear = (message) => {
        if (message.id !== id) return;
        child.off('message', hear);
        resolve(message);
      };
      child.on('message', hear);
    });
    child.send({ id, name, args });
    const { value, cpuMs, failure } = await Promise.race([answered, ended]);
    if (failure !== undefined) throw new Error(failure);
    return { value, cpuMs };
  };
}

async function stop(child) {
  if (child.exitCode !== null || !child.connected) return;
  const exit = once(child, 'exit');
  child.disconnect();
  await exit;
}

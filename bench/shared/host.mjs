// A process of its own for one target, load generator or measured implementation. It does what its parent asks and tells
// how much CPU time of this process that took.
import { pathToFileURL } from 'node:url';

const [file, options] = process.argv.slice(2);
const { default: open } = await import(pathToFileURL(file));
const methods = await Promise.resolve(open(JSON.parse(options))).catch((error) => {
  process.send({ failure: error.message }, () => process.exit(1));
});

process.on('message', async ({ id, name, args }) => {
  const before = process.cpuUsage();
  try {
    const value = await answer(name, args);
    process.send({ id, value, cpuMs: inMs(process.cpuUsage(before)) });
  } catch (error) {
    process.send({ id, failure: error.stack ?? String(error) });
  }
});
// What is closed already, or cannot be, is no reason to stay.
process.on('disconnect', async () => {
  await methods?.close?.().catch(() => {});
  process.exit();
});
if (methods) process.send('ready');

function answer(name, args) {
  if (name === 'cpuMs') return inMs(process.cpuUsage());
  if (name === 'peakMb') return process.resourceUsage().maxRSS / 1024;
  return methods[name](...args);
}

function inMs({ user, system }) {
  return (user + system) / 1_000;
}

import { ConsoleLogger, Logger } from '@nestjs/common';
import { afterAll } from 'vitest';

// The spec files of a worker share one process: each begins with what Node and Nest begin with.

Logger.overrideLogger(['log', 'error', 'warn', 'debug', 'verbose', 'fatal']);
Logger.overrideLogger(new ConsoleLogger());

const { env } = process;
const environment = { ...env };
afterAll(() => {
  // A copy that a spec puts in its place does not reach the process: its TZ would change no zone.
  process.env = env;
  for (const name of Object.keys(process.env)) {
    if (!Object.hasOwn(environment, name)) Reflect.deleteProperty(process.env, name);
  }
  Object.assign(process.env, environment);
});

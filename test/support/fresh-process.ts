import { ConsoleLogger, Logger } from '@nestjs/common';
import { afterAll } from 'vitest';

// The spec files of a worker share one process: each begins with what Node and Nest begin with.

Logger.overrideLogger(['log', 'error', 'warn', 'debug', 'verbose', 'fatal']);
Logger.overrideLogger(new ConsoleLogger());

const environment = { ...process.env };
afterAll(() => {
  for (const name of Object.keys(process.env)) {
    if (!Object.hasOwn(environment, name)) Reflect.deleteProperty(process.env, name);
  }
  Object.assign(process.env, environment);
});

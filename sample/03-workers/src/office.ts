import { NestFactory } from '@nestjs/core';
import { isPaymentsError } from 'nestjs-payments';
import { PaymentsQueue } from 'nestjs-payments/bullmq';
import { OfficeModule } from './office/office.module.js';
import { runOffice, USAGE } from './office/run-office.js';

const office = await NestFactory.createApplicationContext(OfficeModule, { logger: ['error', 'warn'] });
try {
  const done = await runOffice(office.get(PaymentsQueue, { strict: false }), process.argv.slice(2));
  process.stdout.write(`${done ?? USAGE}\n`);
  if (done === undefined) process.exitCode = 2;
} catch (error) {
  if (!isPaymentsError(error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await office.close();
}

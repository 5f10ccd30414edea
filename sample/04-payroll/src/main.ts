import { Logger } from '@nestjs/common';
import { createPayroll } from './payroll.js';

const payroll = await createPayroll();
payroll.enableShutdownHooks();
await payroll.listen(process.env['PORT'] ?? 3000, '127.0.0.1');
new Logger('Payroll').log(`The desk is at ${await payroll.getUrl()}`);

import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WebModule } from './web/web.module.js';

const app = await NestFactory.create(WebModule);
app.enableShutdownHooks();
await app.listen(process.env['PORT'] ?? 3000, '127.0.0.1');
new Logger('Web').log(`Tickets are sold at ${await app.getUrl()}`);

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Header } from '@nestjs/common';

const ORDER_PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'pages', 'order.html'), 'utf8');

/** Pages with an address of their own. The others are files of `public/`. */
@Controller()
export class PagesController {
  /** The same page for every order, which it reads from `/api/orders`. */
  @Get('orders/:number')
  @Header('Content-Type', 'text/html; charset=utf-8')
  order(): string {
    return ORDER_PAGE;
  }
}

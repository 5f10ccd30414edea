import { Controller, Module, Post } from '@nestjs/common';
import { decorate, decorateClass } from './decorate.mjs';
import { serve } from './nest-application.mjs';

class EmptyController {
  received() {}
}
decorate(EmptyController.prototype, 'received', [Post('payments')]);
decorateClass(EmptyController, [Controller('webhooks')]);

/** A POST route that does nothing, with `rawBody` as a webhook route needs it. */
export function start({ adapter }) {
  const module = decorateClass(class {}, [Module({ controllers: [EmptyController] })]);
  return serve(module, { adapter, rawBody: true }, { handled: 0, logged: 0 });
}

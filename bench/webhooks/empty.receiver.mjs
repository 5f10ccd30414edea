import { Controller, Module, Post } from '@nestjs/common';
import { loadPeers } from '../boot/peers.mjs';
import { decorate, decorateClass } from './decorate.mjs';
import { serve } from './nest-application.mjs';

class EmptyController {
  received() {}
}
decorate(EmptyController.prototype, 'received', [Post('payments')]);
decorateClass(EmptyController, [Controller('webhooks')]);

/**
 * A POST route that does nothing, with `rawBody` as a webhook route needs it.
 *
 * @param peers Whether the application uses what most applications use beside Nest.
 */
export async function start({ adapter, peers = false }) {
  const imports = peers ? await loadPeers() : [];
  const module = decorateClass(class {}, [Module({ imports, controllers: [EmptyController] })]);
  return serve(module, { adapter, rawBody: true }, { handled: 0, logged: 0 });
}

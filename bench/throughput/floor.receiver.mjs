import { Controller, HttpCode, Module, Post, Req } from '@nestjs/common';
import { decorate, decorateClass } from '../webhooks/decorate.mjs';
import { serve } from '../webhooks/nest-application.mjs';

/** A route that sends the statements of a webhook and does nothing else; Nest has parsed the body. */
export function start({ adapter, replay }) {
  class FloorController {
    received(request) {
      return replay(request.body.data.reference);
    }
  }
  decorate(FloorController.prototype, 'received', [Post('payments'), HttpCode(200)], [Req()]);
  decorateClass(FloorController, [Controller('webhooks')]);
  const module = decorateClass(class {}, [Module({ controllers: [FloorController] })]);
  return serve(module, { adapter, rawBody: true }, { handled: 0, logged: 0 });
}

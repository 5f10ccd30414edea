import { type INestApplicationContext } from '@nestjs/common';
import { UnverifiedBytes } from '../../lib/webhooks/raw-body/captured-body.js';

/** How many bytes an application holds of webhooks whose signature it has not checked. */
export function unverifiedBytesIn(app: Pick<INestApplicationContext, 'get'>): number {
  return app.get(UnverifiedBytes, { strict: false }).held;
}

import { type PaymentEventName } from '../../../common/events.js';
import { PLAIN_DELIVERY } from '../../core/outcome-plan.js';
import { DEFAULT_MERCHANT } from '../../core/merchant.js';
import { triggeredPayload } from '../../core/webhook-event.js';
import { ControlProblem } from '../control-problem.js';
import { deliveryListing } from '../listings.js';
import { listed } from '../lists.js';
import { type ControlCall } from '../control-operations.js';
import { sandboxDelivery } from '../record-mappers.js';
import { optionalText, text } from './fields.js';
import { type SandboxParts } from '../sandbox-parts.js';

/** Webhook deliveries and triggered events. */
export function deliveryHandlers({ clock, deliverer, idsOf }: SandboxParts) {
  const deliveryOf = ({ subject }: ControlCall) => {
    const delivery = deliverer.get(subject);
    if (delivery) return delivery;
    const message = `There is no delivery ${subject}: GET /deliveries lists them.`;
    throw new ControlProblem(404, 'NOT_FOUND', message);
  };

  return {
    triggerEvent: async ({ body }: ControlCall) => {
      const merchant = optionalText(body, 'merchant') ?? DEFAULT_MERCHANT;
      const event = text(body, 'event') as PaymentEventName;
      const ids = idsOf(merchant);
      const payload = triggeredPayload(event, clock.now(), ids, body['data'] as object | undefined);
      const sent = await deliverer.deliver({
        id: ids.uuid(),
        merchant,
        reference: payload.data.reference,
        event,
        body: JSON.stringify(payload),
        contentType: 'application/json',
        plan: PLAIN_DELIVERY,
      });
      return { items: sent.map(sandboxDelivery) };
    },
    listDeliveries: ({ query }: ControlCall) => listed(deliveryListing(deliverer.list()), query),
    readDelivery: (call: ControlCall) => sandboxDelivery(deliveryOf(call)),
    replayDelivery: async (call: ControlCall) => {
      const mode = optionalText(call.body, 'mode') === 'identical' ? 'identical' : 'resigned';
      const delivery = await deliverer.replay(deliveryOf(call), mode);
      if (delivery) return sandboxDelivery(delivery);
      throw new ControlProblem(
        409,
        'NO_ENDPOINT',
        'No webhook endpoint takes this event: add one with POST /webhooks/endpoints, then replay it.',
      );
    },
  };
}

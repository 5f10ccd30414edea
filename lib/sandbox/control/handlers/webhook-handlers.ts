import { type Duration, milliseconds } from '../../clock/duration.js';
import { type PaymentEventName } from '../../../common/events.js';
import { PLAIN_DELIVERY } from '../../core/outcome-plan.js';
import { DEFAULT_MERCHANT } from '../../core/merchant.js';
import { type WebhookEndpoint } from '../../core/delivery.js';
import { triggeredPayload } from '../../core/webhook-event.js';
import { ControlProblem } from '../control-problem.js';
import { listed } from '../lists.js';
import { type ControlCall } from '../control-operations.js';
import { sandboxDelivery, sandboxEndpoint } from '../record-mappers.js';
import { optionalDuration, optionalFlag, optionalText, text } from './fields.js';
import { type SandboxParts } from '../sandbox-parts.js';

const DEFAULT_OVERLAP: Duration = '24h';

/** Webhook endpoints, deliveries and triggered events. */
export function webhookHandlers({ clock, deliverer, endpoints, idsOf, view }: SandboxParts) {
  const shown = (endpoint: WebhookEndpoint, secrets: 'masked' | 'newest' = 'masked') =>
    sandboxEndpoint(endpoint, clock.now(), secrets);
  const endpointOf = ({ subject }: ControlCall): WebhookEndpoint => {
    const endpoint = endpoints.get(subject);
    if (endpoint) return endpoint;
    const known = endpoints.list().map(({ id }) => id);
    const instead =
      known.length === 0 ? 'add one with POST /webhooks/endpoints' : `write ${known.join(', ')}`;
    throw notFound(`There is no webhook endpoint ${subject}: ${instead}.`);
  };
  const deliveryOf = ({ subject }: ControlCall) => {
    const delivery = deliverer.get(subject);
    if (delivery) return delivery;
    throw notFound(`There is no delivery ${subject}: GET /deliveries lists them.`);
  };

  return {
    listEndpoints: () => ({ items: endpoints.list().map((endpoint) => shown(endpoint)) }),
    readEndpoint: (call: ControlCall) => shown(endpointOf(call)),
    addEndpoint: ({ body }: ControlCall) => {
      const endpoint = endpoints.add({
        url: text(body, 'url'),
        merchant: optionalText(body, 'merchant'),
        events: eventsOf(body) ?? undefined,
        enabled: optionalFlag(body, 'enabled'),
        secret: optionalText(body, 'secret'),
      });
      return shown(endpoint, 'newest');
    },
    changeEndpoint: (call: ControlCall) => {
      const endpoint = endpointOf(call);
      const { body } = call;
      endpoints.change(endpoint, {
        url: optionalText(body, 'url'),
        events: eventsOf(body),
        enabled: optionalFlag(body, 'enabled'),
      });
      return shown(endpoint);
    },
    removeEndpoint: (call: ControlCall) => {
      const endpoint = endpointOf(call);
      endpoints.remove(endpoint.id);
      return shown(endpoint);
    },
    rotateSecret: (call: ControlCall) => {
      const endpoint = endpointOf(call);
      const overlap = optionalDuration(call.body, 'overlap') ?? DEFAULT_OVERLAP;
      endpoints.rotate(endpoint, milliseconds(overlap), optionalText(call.body, 'secret'));
      return shown(endpoint, 'newest');
    },
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
    listDeliveries: ({ query }: ControlCall) => listed(view.deliveries(), query),
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

/** Undefined: not given. Null: all events. */
function eventsOf(body: ControlCall['body']): readonly string[] | null | undefined {
  return body['events'] as readonly string[] | null | undefined;
}

function notFound(message: string): ControlProblem {
  return new ControlProblem(404, 'NOT_FOUND', message);
}

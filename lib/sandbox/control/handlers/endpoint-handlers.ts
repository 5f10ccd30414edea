import { type Duration, milliseconds } from '../../clock/duration.js';
import { type WebhookEndpoint } from '../../core/delivery.js';
import { ControlProblem } from '../control-problem.js';
import { type ControlCall } from '../control-operations.js';
import { sandboxEndpoint } from '../record-mappers.js';
import { optionalDuration, optionalFlag, optionalText, text } from './fields.js';
import { type SandboxParts } from '../sandbox-parts.js';

const DEFAULT_OVERLAP: Duration = '24h';

/** Webhook endpoints and their secrets. */
export function endpointHandlers({ clock, endpoints }: SandboxParts) {
  const shown = (endpoint: WebhookEndpoint, secrets: 'masked' | 'newest' = 'masked') =>
    sandboxEndpoint(endpoint, clock.now(), secrets);
  const endpointOf = ({ subject }: Pick<ControlCall, 'subject'>): WebhookEndpoint => {
    const endpoint = endpoints.get(subject);
    if (endpoint) return endpoint;
    const known = endpoints.list().map(({ id }) => id);
    const instead =
      known.length === 0 ? 'add one with POST /webhooks/endpoints' : `write ${known.join(', ')}`;
    throw new ControlProblem(404, 'NOT_FOUND', `There is no webhook endpoint ${subject}: ${instead}.`);
  };

  return {
    listEndpoints: () => ({ items: endpoints.list().map((endpoint) => shown(endpoint)) }),
    setAddress: ({ body }: ControlCall) =>
      shown(endpoints.deliverTo(text(body, 'url'), optionalText(body, 'merchant'))),
    revealSecret: ({ body }: ControlCall) => {
      const subject = optionalText(body, 'endpoint');
      const id = subject ?? 'default';
      const endpoint = subject === undefined ? endpoints.get(id) : endpointOf({ subject });
      return { endpoint: id, secret: endpoint?.secrets[0]?.text ?? endpoints.settings.secret };
    },
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
  };
}

/** Undefined: not given. Null: all events. */
function eventsOf(body: ControlCall['body']): readonly string[] | null | undefined {
  return body['events'] as readonly string[] | null | undefined;
}

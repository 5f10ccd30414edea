import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { isLoopbackHost } from '../http/loopback.js';

/**
 * The address that webhooks go to.
 *
 * @throws PaymentsConfigError where it is no http address, holds a password, or is not on this machine and that was not allowed.
 */
export function deliveryTarget(address: string | URL, allowRemote: boolean): URL {
  const text = String(address);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new PaymentsConfigError(
      "The webhook address must be a whole http: address: write 'http://127.0.0.1:3000/webhooks/payments'.",
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new PaymentsConfigError(
      'The webhook address must hold no user name and no password: it is shown on the page and in the log.',
    );
  }
  if (!allowRemote && !isLoopbackHost(url.hostname)) {
    throw new PaymentsConfigError(
      'The webhook address is not on this machine: write a loopback address, or start the sandbox with allowRemoteWebhooks: true.',
    );
  }
  return url;
}

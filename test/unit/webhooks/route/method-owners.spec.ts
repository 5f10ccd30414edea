import { expect, it } from 'vitest';
import { type MethodOwner, ownersAt } from '../../../../lib/webhooks/route/method-owners.js';

const owner = (name: string, ...ownPaths: string[]): MethodOwner => ({
  name,
  ownPaths,
  hosts: undefined,
  handsOver: false,
  webhook: undefined,
});

const PAYMENTS = owner('Payments.take', '/payments/events');
const STRIPE = owner('Stripe.take', '/stripe/events', '/stripe/hooks');
const ADMIN = owner('Admin.take', '/admin/payments/events');
const ROOT = owner('Root.take', '');
const SECOND = owner('Second.take', '/payments/events');

it.each<[path: string, handler: string, of: MethodOwner[], taken: MethodOwner[]]>([
  ['/payments/events', '', [PAYMENTS, STRIPE], [PAYMENTS]],
  ['/api/v1/stripe/hooks', '', [PAYMENTS, STRIPE], [STRIPE]],
  ['/old-stripe/hooks', '', [PAYMENTS, STRIPE], [PAYMENTS, STRIPE]],
  ['/anything/else', 'bound take', [PAYMENTS, STRIPE], [PAYMENTS, STRIPE]],
  ['/anything/else', '', [PAYMENTS], [PAYMENTS]],
  ['/admin/payments/events', '', [PAYMENTS, ADMIN], [PAYMENTS, ADMIN]],
  ['/admin/payments/events', 'Admin.take', [PAYMENTS, ADMIN], [ADMIN]],
  ['/payments/events', 'Second.take', [PAYMENTS, SECOND], [SECOND]],
  ['/payments/events', 'Payments.take', [PAYMENTS, owner('Payments.take', '/other')], [PAYMENTS]],
  ['/', '', [PAYMENTS, ROOT], [ROOT]],
  ['/api', '', [PAYMENTS, ROOT], [ROOT]],
  ['/payments/events', '', [], []],
])('the route %s with the handler "%s" of %j is one of %j', (path, handler, owners, taken) => {
  expect(ownersAt(path, handler, owners)).toEqual(taken);
});

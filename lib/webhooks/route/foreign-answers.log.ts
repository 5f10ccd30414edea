import { Injectable } from '@nestjs/common';
import { HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { type IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { SafeLogger } from '../../common/safe-logger.js';
import { checkHead, signedDelivery } from '../delivery/delivery-head.js';
import { WebhookAccounts } from '../delivery/webhook-accounts.js';
import { type WebhookReceiver } from '../delivery/webhook-receiver.js';
import { type AnsweredRequest, routeProgress } from '../raw-body/answered-request.js';
import { capturedBodies, UnverifiedBytes } from '../raw-body/captured-body.js';
import { type Candidate, describeForeignAnswer, reachedBefore } from './foreign-answer.js';

const LOG_EVERY_MS = 60_000;

/** Nest keeps a global class of a module under a token of its own: `APP_GUARD (UUID: …)`. */
const GLOBAL_TOKENS: readonly (readonly [Candidate, RegExp])[] = [
  ['a guard', /^APP_GUARD /],
  ['an interceptor', /^APP_INTERCEPTOR /],
  ['a pipe', /^APP_PIPE /],
  ['an exception filter', /^APP_FILTER /],
];

/**
 * Logs answers to genuine webhooks that the package did not give. Each cause is logged once a minute. All deliveries
 * of a route that the application refused unverified share one turn, so that strangers whom a limit refuses cannot
 * keep the scheme busy.
 */
@Injectable()
export class ForeignAnswersLog {
  private readonly logger = new SafeLogger('PaymentsWebhooks');
  /** By the monotonic clock: the system's clock may be set back. */
  private readonly nextTurn = new Map<string, number>();

  /** A closure, because the modules lead to the options of every account. */
  private readonly modules: () => ModulesContainer;

  constructor(
    private readonly accounts: WebhookAccounts,
    modules: ModulesContainer,
    private readonly unverified: UnverifiedBytes,
    private readonly host: HttpAdapterHost,
  ) {
    this.modules = () => modules;
  }

  /** Never throws: the answer has left, and a line about it must not end the process. */
  report(answered: AnsweredRequest): void {
    this.examine(answered).catch(() => undefined);
  }

  private async examine({ request, account, path, status }: AnsweredRequest): Promise<void> {
    const reached = reachedBefore(routeProgress.get(request), status);
    const receiver = this.accounts.find(account);
    if (reached === 'ours' || !receiver) return;
    const write = (isGenuine: boolean): void => {
      const host = this.host.httpAdapter.getType() === 'fastify' ? 'fastify' : 'express';
      const globalClasses = globalClassesOf(this.modules());
      this.logger.error(describeForeignAnswer({ path, status, reached, isGenuine, host, globalClasses }));
    };
    const captured = await capturedBodies.get(request);
    if (reached !== undefined || (captured && 'genuine' in captured)) {
      if (this.takeTurn(`${path} ${status} ${reached}`)) write(true);
      return;
    }
    if ('refusedWith' in (captured ?? checkHead(request, receiver.limits)) || !this.takeTurn(path)) return;
    if (!captured) write(false);
    else if ('bytes' in captured && (await this.isGenuine(request, captured.bytes, receiver, path)))
      write(true);
  }

  private takeTurn(cause: string): boolean {
    const now = performance.now();
    if (now < (this.nextTurn.get(cause) ?? -Infinity)) return false;
    this.nextTurn.set(cause, now + LOG_EVERY_MS);
    return true;
  }

  /** One at a time for each route, however long it takes. The body counts as unverified until then. */
  private async isGenuine(
    request: IncomingMessage,
    bytes: Uint8Array,
    { limits, signatures }: WebhookReceiver,
    path: string,
  ): Promise<boolean> {
    const body = this.unverified.body(limits.unverifiedBytesLimit);
    if (!body.admit(bytes.length, true)) return false;
    this.nextTurn.set(path, Infinity);
    try {
      return await signatures.isGenuine(signedDelivery(request, bytes));
    } finally {
      this.nextTurn.set(path, performance.now() + LOG_EVERY_MS);
      body.release();
    }
  }
}

function globalClassesOf(modules: ModulesContainer): Map<Candidate, readonly string[]> {
  const wrappers = [...modules.values()].flatMap(({ providers, injectables }) => [
    ...providers,
    ...injectables,
  ]);
  return new Map(
    GLOBAL_TOKENS.map(([candidate, pattern]) => {
      const found = wrappers.filter(([token]) => typeof token === 'string' && pattern.test(token));
      const names = found.map(([, { instance, metatype }]) => classNameOf(instance) ?? metatype?.name ?? '');
      return [candidate, [...new Set(names)].filter((name) => name !== '')];
    }),
  );
}

/** Undefined without a class: a value may have no prototype. */
function classNameOf(instance: unknown): string | undefined {
  const { name } = (instance as { constructor?: { name?: unknown } } | null | undefined)?.constructor ?? {};
  return typeof name === 'string' ? name : undefined;
}

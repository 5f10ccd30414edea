import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConfigService } from '@nestjs/config';
import { startSandbox } from '../../../test/support/sandbox.js';
import { Sessions } from '../src/people/sessions.js';
import { HEAD, PayrollDesk } from './payroll-desk.js';

const ROUTES = [
  'GET session',
  'GET batches',
  'GET batches/2026-11',
  'GET batches/2026-11/progress',
  'GET batches/2026-11/report',
  'POST batches/2026-12',
  'POST batches/2026-11/check',
  'POST batches/2026-11/accept',
  'POST batches/2026-11/approve',
  'POST batches/2026-11/steps',
  'POST batches/2026-11/ask-again',
  'POST batches/2026-11/lines/S-1/settle',
] as const;

describe('somebody who is not signed in', () => {
  let desk: PayrollDesk;

  beforeAll(async () => {
    desk = await PayrollDesk.open(await startSandbox());
    const asha = await desk.signIn('asha', 'rice');
    await asha.load('2026-11', `${HEAD}\nS-1,Asha Mushi,1000,BSB,0150234567801,,\n`);
  });
  afterAll(() => desk.close());

  it.each(ROUTES)('gets nothing of %s', async (route) => {
    const [method, path] = route.split(' ') as [string, string];
    for (const cookie of [
      '',
      'desk=',
      'desk=undefined',
      `desk=${'A'.repeat(43)}`,
      'other=x; desk=__proto__',
    ]) {
      const answer = await fetch(`${desk.url}/${path}`, {
        method,
        headers: { cookie, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{}' }),
      });
      expect([answer.status, await answer.text()]).toEqual([
        401,
        expect.not.stringMatching(/Asha|S-1|1000/) as unknown,
      ]);
    }
  });

  it('does not sign in with a wrong name or password', async () => {
    for (const [name, password] of [
      ['asha', 'beans'],
      ['asha', ''],
      ['nobody', 'rice'],
      ['constructor', ''],
    ] as const) {
      await expect(desk.signIn(name, password)).rejects.toThrow('401');
    }
  });

  it('gets nothing with the cookie of a session that has ended', async () => {
    const signIn = await fetch(`${desk.url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'omari', password: 'beans' }),
    });
    const [cookie = ''] = signIn.headers.getSetCookie();
    expect(cookie).toMatch(/^desk=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    const ask = (method: string) => fetch(`${desk.url}/session`, { method, headers: { cookie } });
    expect(await (await ask('GET')).json()).toEqual({ person: 'omari' });
    expect((await ask('DELETE')).status).toBe(204);
    expect((await ask('GET')).status).toBe(401);
  });

  it('gets the page, which holds no data and runs no script but its own', async () => {
    const page = await fetch(`${desk.url}/`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(await page.text()).not.toMatch(/Asha|<script(?! type="module" src="desk\.js">)/);
  });
});

/** A start that fails would leave an embedded database behind, which still writes to the folder. */
const UNUSED_SERVER = 'postgres://127.0.0.1:1/none';

describe('a desk without people', () => {
  it('does not start', async () => {
    const desk = await PayrollDesk.open(await startSandbox());
    await desk.stop();
    await expect(desk.start({ PAYROLL_PEOPLE: '', DATABASE_URL: UNUSED_SERVER })).rejects.toThrow(
      'PAYROLL_PEOPLE names nobody',
    );
    await desk.close();
  });
});

describe('somebody who guesses passwords', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('waits for a minute after five wrong ones, and nobody else does', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const sessions = new Sessions(new ConfigService({ PAYROLL_PEOPLE: 'asha:rice,omari:beans' }));
    for (let guess = 0; guess < 5; guess += 1) expect(sessions.signIn('asha', 'beans')).toBeUndefined();
    expect(() => sessions.signIn('asha', 'rice')).toThrow('Too many wrong passwords: wait a minute.');
    expect(sessions.signIn('omari', 'beans')).toBeDefined();
    vi.setSystemTime(Date.now() + 60_000);
    expect(sessions.signIn('asha', 'rice')).toBeDefined();
  });
});

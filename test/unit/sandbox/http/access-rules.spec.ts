import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type AccessRules, hostProblem, originProblem } from '../../../../lib/sandbox/http/access-rules.js';
import { GuessLimit } from '../../../../lib/sandbox/http/guess-limit.js';

const asked = (headers: IncomingHttpHeaders) => ({ headers }) as IncomingMessage;
const OWN = { host: '127.0.0.1:4242' };

describe('the origin of a request', () => {
  it.each([
    ['a program', {}],
    ['its own page', { origin: 'http://127.0.0.1:4242' }],
    ['a part of its own page', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors' }],
    ['an address that a user typed', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
    ['a link of a shop', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' }],
    ['a link of a foreign page', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ])('is let in: %s', (_, headers) => {
    expect(originProblem(asked({ ...OWN, ...headers }))).toBeUndefined();
  });

  it.each([
    ['a foreign page', { origin: 'https://foreign.example' }],
    ['a page of another port', { origin: 'http://127.0.0.1:3000' }],
    ['its own page by another name', { origin: 'http://localhost:4242' }],
    ['a page without an origin', { origin: 'null' }],
    ['an origin that is empty', { origin: '' }],
    ['an image of a foreign page', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['an image of a neighbour', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
    [
      'a foreign form',
      { origin: 'https://foreign.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    ],
  ])('is refused: %s', (_, headers) => {
    expect(originProblem(asked({ ...OWN, ...headers }))).toContain('its own page only');
  });
});

describe('the host name of a request', () => {
  const here: AccessRules = {
    allowedHosts: ['docker.internal'],
    allowRemote: false,
    token: undefined,
    frameAncestors: [],
    guesses: new GuessLimit(),
  };

  it.each([
    ['127.0.0.1:4242', true, true],
    ['localhost', true, true],
    ['[::1]:4242', true, true],
    ['docker.internal:4242', true, true],
    ['192.168.1.5:4242', false, true],
    ['[fe80::1]', false, true],
    ['foreign.example:4242', false, false],
    ['localhost.foreign.example', false, false],
    ['127.0.0.1.foreign.example', false, false],
    ['user@127.0.0.1:4242/', true, true],
    ['', false, false],
    [undefined, false, false],
  ])('%s: here %s, with other machines %s', (host, local, remote) => {
    const request = asked({ host });
    expect(hostProblem(request, here) === undefined).toBe(local);
    expect(hostProblem(request, { ...here, allowRemote: true }) === undefined).toBe(remote);
  });
});

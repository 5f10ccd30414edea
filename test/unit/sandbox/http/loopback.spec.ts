import { describe, expect, it } from 'vitest';
import { isAddress, isWildcard, urlHost } from '../../../../lib/sandbox/http/loopback.js';

describe('the host that the emulator listens on', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
    ['::1', '[::1]'],
    ['[::1]', '[::1]'],
    ['0.0.0.0', '127.0.0.1'],
    ['::', '[::1]'],
    ['[::]', '[::1]'],
    ['192.168.1.5', '192.168.1.5'],
    ['fd00::2', '[fd00::2]'],
    ['build-machine', 'build-machine'],
  ])('%s is called as %s', (host, called) => {
    expect(urlHost(host)).toBe(called);
  });

  it.each(['0.0.0.0', '::', '[::]'])('%s is every address', (host) => {
    expect(isWildcard(host)).toBe(true);
  });

  it.each(['127.0.0.1', '192.168.1.5', 'localhost'])('%s is one', (host) => {
    expect(isWildcard(host)).toBe(false);
  });
});

it.each([
  ['192.168.1.5', true],
  ['[fd00::2]', true],
  ['192.168.1.5.evil.example', false],
  ['evil.example', false],
  ['', false],
])('whether %j is an address: %j', (name, is) => {
  expect(isAddress(name)).toBe(is);
});

import { expect, it } from 'vitest';
import { networkUrls } from '../../../../lib/cli/sandbox/network-urls.js';

const INTERFACES = {
  lo: [
    { address: '127.0.0.1', family: 'IPv4' as const, internal: true },
    { address: '::1', family: 'IPv6' as const, internal: true },
  ],
  eth0: [
    { address: '192.168.1.5', family: 'IPv4' as const, internal: false },
    { address: 'fe80::1', family: 'IPv6' as const, internal: false },
  ],
  wlan0: [{ address: '10.0.0.7', family: 'IPv4' as const, internal: false }],
};

it.each(['0.0.0.0', '::'])('%s: every IPv4 address that other machines can call', (host) => {
  expect(networkUrls(host, '4242', INTERFACES)).toEqual(['http://192.168.1.5:4242', 'http://10.0.0.7:4242']);
});

it.each(['127.0.0.1', '192.168.1.5'])('%s: nothing to add to the address that it has', (host) => {
  expect(networkUrls(host, '4242', INTERFACES)).toEqual([]);
});

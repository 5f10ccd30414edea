import { expect, it } from 'vitest';
import { redisRequests } from '../support/request-splitter.js';
import { storageRequests } from './storage-requests.js';

const message = (type: string, body: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(body) + 4);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
};
const command = (...texts: readonly string[]): Buffer =>
  Buffer.from([`*${texts.length}`, ...texts.flatMap((text) => [`$${text.length}`, text]), ''].join('\r\n'));

it('finds the requests of PostgreSQL however they are cut', () => {
  const startup = message('', 'user\0postgres\0\0');
  const claim = Buffer.concat([
    message('P', "INSERT INTO payments_inbox … SELECT state = 'done'"),
    message('B', 'order-100007'),
    message('S', ''),
  ]);
  const commit = message('Q', `UPDATE … ${Buffer.from('order-100008').toString('hex')} …; COMMIT`);
  const { split, kindOf } = storageRequests('postgres');
  const take = split();
  const stream = Buffer.concat([startup, claim, commit]);
  const requests = [...stream].flatMap((byte) => take(Buffer.from([byte])));
  expect(requests).toEqual([startup, claim, commit]);
  expect(requests.map((request) => kindOf(request))).toEqual([
    undefined,
    { request: 'claim', reference: 'order-100007' },
    { request: 'record', reference: 'order-100008' },
  ]);
});

it('finds the commands of Redis however they are cut', () => {
  const script = (...args: readonly string[]): Buffer =>
    command(
      'evalsha',
      'abc',
      '2',
      'payments:{default:sandbox}:inbox',
      'payments:{default:sandbox}:inbox:done',
      ...args,
    );
  const claim = script('outcome:"order-100007"', 'a-token', 'payment.success', 'print', '1500', 'listed');
  const finish = script('outcome:"order-100007"', 'a-token');
  const look = script('outcome:"order-100007"');
  const { kindOf } = storageRequests('redis');
  const take = redisRequests();
  const stream = Buffer.concat([claim, finish, look, command('ping')]);
  const requests = [...stream].flatMap((byte) => take(Buffer.from([byte])));
  expect(requests).toHaveLength(4);
  expect(requests.map((request) => kindOf(request)?.request)).toEqual([
    'claim',
    'record',
    undefined,
    undefined,
  ]);
});

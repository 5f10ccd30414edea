import { describe, expect, it } from 'vitest';
import { type ClientRequest, redisRequests } from '../support/request-splitter.js';
import { storageRequests } from './storage-requests.js';

const message = (type: string, body: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(body) + 4);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
};
const bytes = (all: Buffer): Buffer[] => [...all].map((one) => Buffer.from([one]));
const command = (...texts: readonly string[]): Buffer =>
  Buffer.from([`*${texts.length}`, ...texts.flatMap((text) => [`$${text.length}`, text]), ''].join('\r\n'));

const bind = (name: string, parameter: string): Buffer => message('B', `\0${name}\0\0\0\0\u0001${parameter}`);
const sync = message('S', '');
const bytesOf = (requests: readonly ClientRequest[]): Buffer[] => requests.map(({ bytes }) => bytes);

describe('the requests of PostgreSQL', () => {
  const startup = message('', 'user\0postgres\0\0');
  const claim = "INSERT INTO payments_inbox … SELECT state = 'done'";
  const { split, kindOf } = storageRequests('postgres');

  it('are found however they are cut', () => {
    const insertion = Buffer.concat([message('P', `\0${claim}\0`), bind('', 'order-100007'), sync]);
    const hex = Buffer.from('order-100008').toString('hex');
    const commit = message('Q', `UPDATE … ${hex} …; COMMIT\0`);
    const take = split();
    const requests = bytes(Buffer.concat([startup, insertion, commit])).flatMap((each) => take(each));
    expect(bytesOf(requests)).toEqual([startup, insertion, commit]);
    expect(requests.map(({ statements }) => statements.map((each) => kindOf(each)))).toEqual([
      [],
      [{ request: 'claim', reference: 'order-100007' }],
      [{ request: 'record', reference: 'order-100008' }],
    ]);
  });

  it('are found by the text of a statement that the connection has prepared', () => {
    const record = "UPDATE payments_inbox SET state = 'done'";
    const take = split();
    const [, first, second] = take(
      Buffer.concat([
        startup,
        message('P', `claim\0${claim}\0`),
        bind('claim', 'order-100001'),
        message('P', `record\0${record}\0`),
        bind('record', 'order-100002'),
        sync,
        bind('record', 'order-100003'),
        bind('claim', 'order-100004'),
        sync,
      ]),
    );
    expect(first?.statements.map((each) => kindOf(each))).toEqual([
      { request: 'claim', reference: 'order-100001' },
      { request: 'record', reference: 'order-100002' },
    ]);
    expect(second?.statements.map((each) => kindOf(each))).toEqual([
      { request: 'record', reference: 'order-100003' },
      { request: 'claim', reference: 'order-100004' },
    ]);
    const [, unknown] = split()(Buffer.concat([startup, bind('claim', 'order-100005'), sync]));
    expect(unknown?.statements.map((each) => kindOf(each))).toEqual([undefined]);
  });
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
  const requests = bytes(Buffer.concat([claim, finish, look, command('ping')])).flatMap((each) => take(each));
  expect(bytesOf(requests)).toEqual([claim, finish, look, command('ping')]);
  expect(requests.map(({ statements }) => statements.map((each) => kindOf(each)?.request))).toEqual([
    ['claim'],
    ['record'],
    [undefined],
    [undefined],
  ]);
});

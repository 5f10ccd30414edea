import { describe, expect, it } from 'vitest';
import { parseAnswer, type ParsedAnswer } from '../../../../lib/gateway/answer/parse-answer.js';
import { type BodyHeaders } from '../../../../lib/gateway/http/http-transport.js';

const UNREADABLE: ParsedAnswer = { shape: 'unreadable' };

const parsed = (body: unknown, headers?: BodyHeaders): ParsedAnswer =>
  parseAnswer(JSON.stringify(body), headers);

describe('a success answer', () => {
  it('is read with its whole envelope and with its JSON, without the white space around it', () => {
    const text = '{"status":"success","code":"X","message":"m","data":[1],"request_id":"r"}';
    expect(parseAnswer(` \r\n${text}\n`)).toEqual({
      shape: 'success',
      text,
      envelope: { code: 'X', message: 'm', data: [1], requestId: 'r' },
    });
  });

  it.each<[what: string, fields: object]>([
    ['has none of them', {}],
    ['has null in their place', { code: null, message: null, request_id: null }],
    ['has numbers in their place', { code: 1, message: 2, request_id: 3 }],
    ['has empty texts', { code: '', message: '', request_id: '' }],
  ])('has an empty code, an empty message and no request id if it %s', (_, fields) => {
    const body = { status: 'success', ...fields };
    expect(parsed(body)).toStrictEqual({
      shape: 'success',
      text: JSON.stringify(body),
      envelope: { code: '', message: '', data: undefined },
    });
  });

  it.each([
    ['says true', true],
    ['says null', null],
    ['says something else', 'false'],
  ])('is one if its field `success` %s', (_, success) => {
    expect(parsed({ status: 'success', success }).shape).toBe('success');
  });

  it('contradicts itself if its field `success` is false', () => {
    expect(parsed({ status: 'success', success: false, data: {} })).toEqual(UNREADABLE);
  });

  it('is read whatever its headers say', () => {
    const headers = { contentType: 'text/html', contentEncoding: 'gzip' };
    expect(parsed({ status: 'success' }, headers).shape).toBe('success');
  });

  it('has no field that could become a prototype', () => {
    const { envelope } = parseAnswer('{"status":"success","data":{"__proto__":{"a":1},"b":2}}') as Extract<
      ParsedAnswer,
      { readonly shape: 'success' }
    >;
    expect(Object.getOwnPropertyNames(envelope.data)).toEqual(['b']);
  });
});

describe('a text', () => {
  it.each([
    '',
    ' \n',
    'null',
    '17',
    '"success"',
    '[]',
    '[{"status":"success"}]',
    '<html></html>',
    '{"status":"success"',
  ])('that is no whole JSON object, %j, is unreadable', (text) => {
    expect(parseAnswer(text)).toEqual(UNREADABLE);
  });

  it('with a field twice is unreadable, because programs differ in which of the two they read', () => {
    expect(parseAnswer('{"status":"success","data":{},"data":{}}')).toEqual(UNREADABLE);
    expect(parseAnswer('{"status":"error","status":"success"}')).toEqual(UNREADABLE);
    expect(parseAnswer('{"st\\u0061tus":"error","status":"success"}')).toEqual(UNREADABLE);
  });

  it('with a field twice in its data is unreadable, too: the data settles payments', () => {
    const data = '"reference":"order-1","status":"processing","amount":"5.00"';
    for (const again of ['"reference":"order-2"', '"st\\u0061tus":"failed"', '"amount":"5.00"']) {
      expect(parseAnswer(`{"status":"success","data":{${data},${again}}}`)).toEqual(UNREADABLE);
    }
    expect(parseAnswer(`{"status":"success","data":{${data}}}`).shape).toBe('success');
    expect(parseAnswer('{"success":false,"errors":{"phone":["bad"],"phone":["odd"]}}')).toEqual(UNREADABLE);
  });

  it.each([
    ['in the data', '{"status":"success","data":{"status":"a"}}'],
    ['in a list', '{"status":"success","data":[{"status":"a"},{"status":"b"}]}'],
    [
      'behind an object in the data',
      '{"data":{"list":[[{}],{"status":"a"}],"status":"b"},"status":"success"}',
    ],
    ['twice in what the data holds', '{"status":"success","data":{"metadata":{"a":1,"a":2}}}'],
  ])('with the name of a field once more %s is readable', (_, text) => {
    expect(parseAnswer(text).shape).toBe('success');
  });

  it.each([
    '',
    ':',
    '"',
    '\\',
    '\\\\',
    '\\"',
    '"\\',
    '","data":"',
    '\\","data":{',
    '{',
    '}',
    '[',
    ']',
    '}]',
    '{[',
  ])('is searched for a field that it has twice around the text %j', (value) => {
    const field = `"message":${JSON.stringify(value)}`;
    expect(parseAnswer(`{"status":"success",${field},"data":{}}`).shape).toBe('success');
    expect(parseAnswer(`{"status":"success","data":{},${field},"data":{}}`)).toEqual(UNREADABLE);
  });

  it('is searched for a field that it has twice around a field whose name holds signs of JSON', () => {
    const field = '"a\\":{\\\\":1';
    expect(parseAnswer(`{"status":"success",${field},"data":{}}`).shape).toBe('success');
    expect(parseAnswer(`{"status":"success","data":{},${field},"data":{}}`)).toEqual(UNREADABLE);
  });
});

describe('an error answer', () => {
  const NOTHING = { errors: {}, mayHoldRecord: false };

  it.each<[what: string, body: object, error: object]>([
    ['in shape A', { status: 'error', code: 'X', message: 'No' }, { ...NOTHING, code: 'X', message: 'No' }],
    ['in shape B', { success: false, code: 'X', message: 'No' }, { ...NOTHING, code: 'X', message: 'No' }],
    [
      'in shape C',
      { success: false, message: 'No', errors: { phone: ['a', 'b'], amount: ['c'] } },
      { ...NOTHING, message: 'No', errors: { phone: ['a', 'b'], amount: ['c'] } },
    ],
    [
      'in shape C with a status',
      { status: 'error', errors: { phone: ['a'] } },
      { ...NOTHING, errors: { phone: ['a'] } },
    ],
    ['of a message alone', { message: 'No' }, { ...NOTHING, message: 'No' }],
    ['of an empty message alone', { message: '' }, NOTHING],
    ['with a code and no message', { success: false, code: 'X' }, { ...NOTHING, code: 'X' }],
    [
      'with a code and a message of null',
      { success: false, code: 'X', message: null },
      { ...NOTHING, code: 'X' },
    ],
    ['with a code of null', { success: false, code: null, message: 'No' }, { ...NOTHING, message: 'No' }],
    ['with an empty code', { success: false, code: '', message: 'No' }, { ...NOTHING, message: 'No' }],
    ['of a message with an empty code', { message: 'No', code: '' }, { ...NOTHING, message: 'No' }],
    ['of a message with a code of null', { message: 'No', code: null }, { ...NOTHING, message: 'No' }],
    [
      'with a request id',
      { success: false, code: 'X', request_id: 'r' },
      { ...NOTHING, code: 'X', requestId: 'r' },
    ],
    [
      'with a request id that is a number',
      { success: false, code: 'X', request_id: 1 },
      { ...NOTHING, code: 'X' },
    ],
    ['with an empty request id', { success: false, code: 'X', request_id: '' }, { ...NOTHING, code: 'X' }],
    [
      'with everything empty beside it',
      {
        status: 'error',
        success: false,
        code: 'X',
        message: 'No',
        data: null,
        error: null,
        errors: null,
        meta: null,
      },
      { ...NOTHING, code: 'X', message: 'No' },
    ],
    [
      'with empty lists beside it',
      { status: 'error', code: 'X', data: [], error: [], errors: [], meta: [] },
      { ...NOTHING, code: 'X' },
    ],
    [
      'with empty objects beside it',
      { status: 'error', code: 'X', data: {}, error: {}, errors: {}, meta: {} },
      { ...NOTHING, code: 'X' },
    ],
    [
      'without a code, with every other field that the specification names',
      {
        status: 'error',
        success: false,
        code: '',
        message: 'No',
        errors: {},
        data: {},
        meta: [],
        request_id: 'r',
      },
      { ...NOTHING, message: 'No', requestId: 'r' },
    ],
    [
      'with a code beside a field that nobody documented',
      { success: false, code: 'X', trace: { span: 'a' } },
      { ...NOTHING, code: 'X' },
    ],
  ])('%s is read', (_, body, error) => {
    expect(parsed(body)).toStrictEqual({ shape: 'error', error });
  });

  it.each<[what: string, body: object]>([
    ['is an empty object', {}],
    ['only calls itself an error', { status: 'error' }],
    ['only calls itself no success', { success: false }],
    ['has another status', { status: 'processing', success: false, code: 'X', message: 'No' }],
    ['has a status of null', { status: null, success: false, code: 'X', message: 'No' }],
    ['calls itself a success, too', { status: 'error', success: true, code: 'X', message: 'No' }],
    ['has a `success` of null', { status: 'error', success: null, code: 'X', message: 'No' }],
    ['has data', { status: 'error', code: 'X', message: 'No', data: { id: 1 } }],
    ['has a list of data', { status: 'error', code: 'X', message: 'No', data: [1] }],
    ['has data that is a text', { status: 'error', code: 'X', message: 'No', data: '' }],
    ['has data that is a number', { status: 'error', code: 'X', message: 'No', data: 0 }],
    ['has another error in it', { status: 'error', code: 'X', message: 'No', error: { code: 'Y' } }],
    ['has the name of an error in it', { status: 'error', code: 'X', message: 'No', error: 'Y' }],
    ['has a message that is an object', { status: 'error', code: 'X', message: {} }],
    ['has a message that is a number', { status: 'error', code: 'X', message: 1 }],
    ['has a code that is a number', { status: 'error', code: 1, message: 'No' }],
    ['has a code that is a list', { status: 'error', code: [], message: 'No' }],
    ['has a code, and does not call itself an error', { code: 'X', message: 'No' }],
    ['has messages by field, and does not call itself an error', { message: 'No', errors: { phone: ['a'] } }],
    ['has no code, and a field that nobody documented', { message: 'No', error_code: 'X' }],
    ['has an empty code and no message', { success: false, code: '' }],
    [
      'has an empty code, and a field that nobody documented',
      { success: false, code: '', message: 'No', trace: 1 },
    ],
    [
      'has messages by field, and a field that nobody documented',
      { success: false, errors: { phone: ['a'] }, note: 1 },
    ],
    ['has a list of messages without fields', { success: false, code: 'X', errors: ['a'] }],
    ['has a text instead of messages', { success: false, code: 'X', errors: 'a' }],
    ['has `true` instead of messages', { success: false, code: 'X', errors: true }],
    ['has a text as the messages of a field', { success: false, code: 'X', errors: { phone: 'a' } }],
    ['has an empty list of messages', { success: false, code: 'X', errors: { phone: [] } }],
    ['has a message by field that is no text', { success: false, code: 'X', errors: { phone: ['a', 1] } }],
    [
      'has no list of messages for one field of two',
      { success: false, code: 'X', errors: { phone: ['a'], amount: null } },
    ],
  ])('that %s is unreadable', (_, body) => {
    expect(parsed(body)).toEqual(UNREADABLE);
  });

  it('has no field that could become a prototype', () => {
    expect(parseAnswer('{"success":false,"message":"No","errors":{"__proto__":["a"]}}')).toStrictEqual({
      shape: 'error',
      error: { ...NOTHING, message: 'No' },
    });
  });
});

describe('the headers of an error answer', () => {
  const shapeUnder = (headers: BodyHeaders): string => parsed({ message: 'No' }, headers).shape;

  it.each([
    undefined,
    'application/json',
    'text/json',
    'application/problem+json',
    'application/vnd.api-v1.0+json',
    ' application/json',
    'application/json ;charset=utf-8',
    'application/json; charset=utf-8',
    'Application/JSON',
  ])('let it be read with the content type %j', (contentType) => {
    expect(shapeUnder(contentType === undefined ? {} : { contentType })).toBe('error');
  });

  it.each([
    '',
    'text/html',
    'text/plain',
    'image/json',
    'json',
    'application/jsonp',
    'application/json-seq',
    'application/+json',
    'application/a b+json',
    'application/problem.json',
    'application/javascript',
    'text/html, application/json',
    'application/json, text/html',
    'xapplication/json',
  ])('make it unreadable with the content type %j', (contentType) => {
    expect(shapeUnder({ contentType })).toBe('unreadable');
  });

  it.each([
    ['identity', 'error'],
    [' Identity ', 'error'],
    ['gzip', 'unreadable'],
    ['identity, gzip', 'unreadable'],
    ['', 'unreadable'],
  ])('with the content encoding %j make it: %s', (contentEncoding, shape) => {
    expect(shapeUnder({ contentEncoding })).toBe(shape);
    expect(shapeUnder({ contentEncoding, contentType: 'application/json' })).toBe(shape);
  });
});

describe('a refusing code may be beside the record of a payment', () => {
  const mayHoldRecord = (beside: object): boolean => {
    const answer = parsed({ status: 'error', code: 'X', message: 'No', ...beside });
    if (answer.shape !== 'error') throw new Error('the answer must be one in a known shape');
    return answer.error.mayHoldRecord;
  };

  it.each([
    ...['id', 'ID', 'payment', 'Payout', 'transactions', 'trx_id', 'txn', 'transfer', 'bank_transfer_no'],
    ...['disbursement', 'collection_id', 'provider', 'Result', 'records', 'bank_reference', 'receipt_no'],
    ...['net_amount'],
  ])('if it has a field named %s, on the first level and on others', (field) => {
    expect(mayHoldRecord({ [field]: 1 })).toBe(true);
    expect(mayHoldRecord({ extra: { [field]: null } })).toBe(true);
    expect(mayHoldRecord({ extra: [1, [{ a: null, b: { [field]: '' } }]] })).toBe(true);
  });

  it.each([
    ['an object with something in it', { a: 1 }],
    ['a list with something in it', [1]],
    ['a text', ''],
    ['a number', 0],
  ])('if its `meta` is %s', (_, meta) => {
    expect(mayHoldRecord({ meta })).toBe(true);
  });

  it.each<[what: string, beside: object]>([
    ['nothing', {}],
    ['an empty list of `meta`', { meta: [] }],
    ['names in which `id` is only a part', { trace_id: 'a', idle: 1, void: 2, userid: 3 }],
    [
      'names in which other words are only nearly spelled',
      { trac: 1, tran: 2, recor: 3, refer: 4, collect: 5 },
    ],
    ['names as values', { trace: 'payment', list: ['id', 'amount'], deep: { a: 'receipt' } }],
    ['a message about such a field', { errors: { amount: ['is wrong'] } }],
    ['a request id', { request_id: 'r' }],
  ])('but does not with %s', (_, beside) => {
    expect(mayHoldRecord(beside)).toBe(false);
  });

  it('is searched on more levels than a recursive function could go down', () => {
    const levels = 50_000;
    const text = (inner: string): string =>
      `{"success":false,"code":"X","deep":${'['.repeat(levels)}${inner}${']'.repeat(levels)}}`;
    expect(parseAnswer(text('{"id":1}'))).toMatchObject({ error: { mayHoldRecord: true } });
    expect(parseAnswer(text('{"a":1}'))).toMatchObject({ error: { mayHoldRecord: false } });
  });
});

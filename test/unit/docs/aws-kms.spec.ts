import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { awsKms } from '../../support/aws-kms.js';

const KEY = 'arn:aws:kms:eu-west-1:111122223333:key/1';
const { signal } = new AbortController();
const CALL = { key: KEY, context: { use: 'data-key' }, signal };

/** A client of AWS whose calls end with this error. */
function failing(name: string, message: string) {
  const fail = () => Promise.reject(Object.assign(new Error(message), { name }));
  return awsKms({ encrypt: fail, decrypt: fail });
}

it.each([
  ['NotFoundException', `Key '${KEY}' does not exist`],
  ['DisabledException', `${KEY} is disabled.`],
  ['InvalidCiphertextException', 'UnknownError'],
  [
    'IncorrectKeyException',
    'The key ID in the request does not identify a CMK that can perform this operation.',
  ],
  ['KMSInvalidStateException', `${KEY} is pending deletion.`],
  ['KMSInvalidStateException', `${KEY} is pending replica deletion.`],
])('the client for AWS says that a key is gone after %s: %s', async (name, message) => {
  const client = failing(name, message);
  expect(await client.unwrap({ ...CALL, wrapped: Buffer.from('w') })).toBe('gone');
  expect(await client.wrap({ ...CALL, dataKey: Buffer.from('d') })).toBe('gone');
});

it.each([
  ['KMSInvalidStateException', `${KEY} is pending import.`],
  ['KMSInvalidStateException', `${KEY} is unavailable.`],
  ['KMSInternalException', 'A pending deletion of something else'],
  ['ThrottlingException', 'Rate exceeded'],
  ['AccessDeniedException', 'not authorized'],
])('the client for AWS takes no outage for a lost key: %s: %s', async (name, message) => {
  const client = failing(name, message);
  await expect(client.unwrap({ ...CALL, wrapped: Buffer.from('w') })).rejects.toThrow(message);
  await expect(client.wrap({ ...CALL, dataKey: Buffer.from('d') })).rejects.toThrow(message);
});

it('the client for AWS gives bytes and context to AWS, and what AWS answers back', async () => {
  const asked: unknown[] = [];
  const client = awsKms({
    encrypt: (...call) => Promise.resolve({ CiphertextBlob: Buffer.from(`w${asked.push(call)}`) }),
    decrypt: (...call) => Promise.resolve({ Plaintext: Buffer.from(`d${asked.push(call)}`) }),
  });
  const [dataKey, wrapped] = [Buffer.from('d'), Buffer.from('w')];
  expect(await client.wrap({ ...CALL, dataKey })).toEqual(Buffer.from('w1'));
  expect(await client.unwrap({ ...CALL, wrapped })).toEqual(Buffer.from('d2'));
  const bound = { KeyId: KEY, EncryptionContext: CALL.context };
  const options = { abortSignal: signal };
  expect(asked).toEqual([
    [{ ...bound, Plaintext: dataKey }, options],
    [{ ...bound, CiphertextBlob: wrapped }, options],
  ]);
});

it('the document shows the client for AWS that these specs run', () => {
  const [, code = ''] = readFileSync('test/support/aws-kms.ts', 'utf8').split(/^(?=\/\*\* The part)/m);
  // Prettier breaks the lines of a document elsewhere.
  const unbroken = (text: string): string => text.replace(/\s+/g, '').replace(/,(?=[)}\]])/g, '');
  expect(code).toContain('wrap:');
  expect(unbroken(readFileSync('docs/encryption.md', 'utf8'))).toContain(unbroken(code));
});

import { type KeyManagementService } from 'nestjs-payments';

/** Errors of Transit after which it can never open a data key. */
const GONE = /encryption key not found|disallowed by policy|unable to decrypt|invalid ciphertext/;

export function vaultTransit(url: string, token: string): KeyManagementService {
  const post = async (
    path: string,
    body: object,
    signal: AbortSignal,
  ): Promise<Record<string, string> | 'gone'> => {
    const headers = { 'x-vault-token': token };
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal };
    const response = await fetch(`${url}/v1/transit/${path}`, request);
    const text = await response.text();
    if (response.ok) return (JSON.parse(text) as { data: Record<string, string> }).data;
    if (response.status === 400 && GONE.test(text)) return 'gone';
    throw new Error(`Vault answered ${response.status}`);
  };
  const bound = (context: object): string => Buffer.from(JSON.stringify(context)).toString('base64');
  return {
    wrap: async ({ key, dataKey, context, signal }) => {
      const body = { plaintext: Buffer.from(dataKey).toString('base64'), associated_data: bound(context) };
      const answer = await post(`encrypt/${key}`, body, signal);
      return answer === 'gone' ? answer : Buffer.from(answer['ciphertext'] ?? '');
    },
    unwrap: async ({ key, wrapped, context, signal }) => {
      const body = { ciphertext: Buffer.from(wrapped).toString(), associated_data: bound(context) };
      const answer = await post(`decrypt/${key}`, body, signal);
      return answer === 'gone' ? answer : Buffer.from(answer['plaintext'] ?? '', 'base64');
    },
  };
}

import OpenAI from 'openai';
import { checkAnswer, PATH, paymentOf } from './request.mjs';

/** openai-node's transport, as another client made for production. */
export function start({ baseUrl }) {
  const client = new OpenAI({ apiKey: 'sk_test_bench', baseURL: new URL(baseUrl).origin });
  return async (reference) => {
    const body = { ...paymentOf(reference), amount: 1180.5, currency: 'TZS' };
    checkAnswer(await client.post(PATH, { body, headers: { 'Idempotency-Key': reference } }), reference);
  };
}

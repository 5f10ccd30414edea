import { Pool } from 'undici';
import { checkAnswer, HEADERS, PATH, wireBody } from './request.mjs';

/** undici alone. */
export function start({ baseUrl }) {
  const pool = new Pool(new URL(baseUrl).origin, { connections: 50 });
  return async (reference) => {
    const { body } = await pool.request({
      path: PATH,
      method: 'POST',
      headers: { ...HEADERS, 'Idempotency-Key': reference },
      body: wireBody(reference),
    });
    checkAnswer(await body.json(), reference);
  };
}

import http from 'node:http';
import axios from 'axios';
import { checkAnswer, HEADERS, PATH, wireBody } from './request.mjs';

/** axios alone, with kept connections. */
export function start({ baseUrl }) {
  const client = axios.create({ httpAgent: new http.Agent({ keepAlive: true, maxSockets: 50 }) });
  const url = new URL(baseUrl).origin + PATH;
  return async (reference) => {
    const headers = { ...HEADERS, 'Idempotency-Key': reference };
    checkAnswer((await client.post(url, wireBody(reference), { headers })).data, reference);
  };
}

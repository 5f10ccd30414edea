import { type ConfigType, registerAs } from '@nestjs/config';

/** Variables of both processes beside `PAYMENTS_*`; see `.env.example`. */
export const settings = registerAs('settings', () => ({
  redisUrl: process.env['REDIS_URL'] || 'redis://127.0.0.1:6379',
  prefix: process.env['REDIS_PREFIX'] || 'tickets:',
  mailUrl: process.env['MAIL_URL'] || 'http://127.0.0.1:4000',
  concurrency: wholeNumber('WORKER_CONCURRENCY', 5),
  takeOverAfterMs: wholeNumber('TAKE_OVER_AFTER_MS', 10_000),
}));

export type Settings = ConfigType<typeof settings>;

function wholeNumber(variable: string, fallback: number): number {
  const text = process.env[variable] || String(fallback);
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error(`${variable} is '${text}': write a whole number such as ${fallback}.`);
}

import { type PackageManager } from '../project/package-manager.js';

const VARIABLES = {
  PAYMENTS_BASE_URL: 'http://127.0.0.1:4242/api/v1',
  PAYMENTS_API_KEY: 'pk_test_demo',
  PAYMENTS_API_SECRET: 'sk_test_demo',
  PAYMENTS_WEBHOOK_SECRET: '',
};

/** Adds the missing variables to `.env.example`. A commented variable is not missing. */
export function envExample(before: string | undefined, manager: Pick<PackageManager, 'exec'>): string {
  const text = before ?? '';
  const missing = Object.entries(VARIABLES).filter(
    ([name]) => !new RegExp(`^[ \\t#]*(export )?${name}[ \\t]*=`, 'm').test(text),
  );
  if (missing.length === 0) return text;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const heading = `# Payments. \`${manager.exec('sandbox --write-env .env')}\` writes a whole set for the emulator into .env.`;
  const lines = [heading, ...missing.map(([name, value]) => `${name}=${value}`), ''];
  const gap = text.trim() === '' ? '' : newline;
  const start = text === '' || text.endsWith('\n') ? text : `${text}${newline}`;
  return `${start}${gap}${lines.join(newline)}`;
}

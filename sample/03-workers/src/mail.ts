import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { MailService } from './dev/mail-service.js';

const { values } = parseArgs({
  options: { refuse: { type: 'boolean', default: false }, slow: { type: 'boolean', default: false } },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const service = await MailService.start(4000, ({ key, repeated }) => {
  if (values.refuse) say(`${key}: refused`);
  else say(repeated ? `${key}: asked again, nothing more is sent` : `${key}: sent`);
});
service.open = !values.refuse;
if (values.slow) service.beforeAnswer = () => pause(4_000);
say(`Mails are taken at ${service.url}`);

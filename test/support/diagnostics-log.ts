import { Logger, type LoggerService } from '@nestjs/common';
import {
  CALL_ATTEMPT_CHANNEL,
  CALL_END_CHANNEL,
  CALL_START_CHANNEL,
  CALL_WAIT_CHANNEL,
  onPaymentsDiagnostics,
  type PaymentsDiagnostics,
} from 'nestjs-payments';

type Channel = (typeof CHANNELS)[number];

const CHANNELS = [CALL_START_CHANNEL, CALL_ATTEMPT_CHANNEL, CALL_WAIT_CHANNEL, CALL_END_CHANNEL] as const;

/** One published event. */
export interface HeardEvent {
  readonly channel: Channel;
  readonly event: PaymentsDiagnostics[Channel];
}

/** Hears how calls go. */
export function hearDiagnostics(): { readonly heard: HeardEvent[]; readonly stop: () => void } {
  const heard: HeardEvent[] = [];
  const stops = CHANNELS.map((channel) =>
    onPaymentsDiagnostics(channel, (event) => {
      heard.push({ channel, event });
    }),
  );
  return {
    heard,
    stop: () => {
      stops.forEach((stop) => {
        stop();
      });
    },
  };
}

/** Takes the place of Nest's logger and keeps every line of every level. */
export function keepLogLines(): string[] {
  const lines: string[] = [];
  const keep =
    (level: string) =>
    (...texts: unknown[]): void => {
      lines.push([level, ...texts.map(String)].join(' '));
    };
  const logger: LoggerService = {
    log: keep('log'),
    error: keep('error'),
    warn: keep('warn'),
    debug: keep('debug'),
    verbose: keep('verbose'),
    fatal: keep('fatal'),
  };
  Logger.overrideLogger(logger);
  return lines;
}

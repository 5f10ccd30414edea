/** One change of the library that makes it lose or send money twice, or call failed what was made. */
export interface PlantedFault {
  readonly name: string;
  readonly file: string;
  /** Appears in the file exactly once. */
  readonly find: string;
  readonly write: string;
  /** Whose stories show a rare one early. */
  readonly seed?: string;
}

const CLASSIFY = 'lib/gateway/answer/classify-answer.ts';
const DECIDE = 'lib/gateway/decide-after-try.ts';
const INTERPRET = 'lib/gateway/answer/interpret-try.ts';
const INTENT = 'lib/journal/payment/payment-intent.ts';
const REPEATED = 'lib/journal/payment/repeated-call.ts';
const TRANSITIONS = 'lib/journal/payment/journal-transitions.ts';
const PROBES = 'lib/journal/payment/repeated-call.ts';
const RECOVERY = 'lib/journal/recovery/recover-entry.ts';
const DECIDE_RECOVERY = 'lib/journal/recovery/recovery-decision.ts';
const MEMORY = 'lib/storage/memory/memory-journal.ts';

/** A fault of each kind that the stories are there to find. */
export const PLANTED_FAULTS: readonly PlantedFault[] = [
  // Answers that look like refusals.
  {
    name: 'an answer that cannot be read refuses',
    file: CLASSIFY,
    find: "kind === 'read' ? 'bad-answer' : 'unproven-refusal'",
    write: "kind === 'read' ? 'bad-answer' : 'refused'",
  },
  {
    name: 'a listed code refuses under 5xx',
    file: CLASSIFY,
    find: 'return isClientError(httpStatus) && !OVERRULING_STATUSES.has(httpStatus);',
    write: 'return httpStatus >= 400 && !OVERRULING_STATUSES.has(httpStatus);',
  },
  {
    name: 'field messages refuse under 408',
    file: CLASSIFY,
    find: 'new Set([401, 403, 408, 425, 429, 499])',
    write: 'new Set([401, 403, 425, 429, 499])',
  },
  {
    name: 'field messages refuse under 409',
    file: CLASSIFY,
    find: 'httpStatus === 409 && namesNoCause(error)',
    write: 'false',
  },
  {
    name: 'a field message about what no request holds refuses',
    file: CLASSIFY,
    find: "every((path) => REQUEST_FIELDS.has(path.split('.', 1).join()))",
    write: 'every(() => true)',
  },
  {
    name: 'a payout is refused without a code',
    file: DECIDE,
    find: "'refused-without-code': unknown('bad-answer'),",
    write: "'refused-without-code': rejected('listed'),",
  },
  {
    name: 'a payout is refused by a new code',
    file: DECIDE,
    find: "'unlisted-code': unknown('unlisted-code'),",
    write:
      "'unlisted-code': (status) => (isFinalClientError(status) ? rejected('listed') : unknown('unlisted-code')),",
  },
  {
    name: 'a payment whose answer names another amount is accepted',
    file: 'lib/gateway/answer/check-echo.ts',
    find: 'return differentUnless(moneyFromWire(echoed) === sent);',
    write: 'return differentUnless(echoed !== sent);',
  },
  // Silence.
  {
    name: 'silence means that nothing was sent',
    file: DECIDE,
    find: "'no-answer': probeElse('after-silence', 'no-answer'),",
    write: "'no-answer': retryElse('unreachable'),",
  },
  {
    name: 'a caller that gives up has sent nothing',
    file: INTERPRET,
    find: "failure.aborted ? 'aborted' : 'no-answer'",
    write: "failure.aborted ? 'aborted-unsent' : 'no-answer'",
  },
  {
    name: 'an ambiguous try is forgotten by the next one',
    file: DECIDE,
    find: "return verdict.end === 'unknown' ? { evidence: verdict.evidence, probe } : undefined;",
    write: 'return undefined;',
  },
  {
    name: 'a refusal settles an ambiguous call',
    file: DECIDE,
    find: "return { retry, verdict: { end: 'unknown', evidence: 'refused-after-ambiguity' } };",
    write: 'return { retry, verdict };',
  },
  {
    name: 'what never left is taken for sent',
    file: INTERPRET,
    find: "failure.aborted ? 'aborted-unsent' : notSent",
    write: "failure.aborted ? 'aborted-unsent' : 'no-answer'",
  },
  // Repeated calls, attempts, operators.
  {
    name: 'a payment that failed may be made again',
    file: REPEATED,
    find: "if (state === 'rejected') return true;",
    write: "if (state === 'rejected' || outcome === 'failed') return true;",
  },
  {
    name: 'an unknown payment is the next attempt',
    file: REPEATED,
    find: "if (state === 'rejected') return true;",
    write: "if (state === 'rejected' || state === 'unknown') return true;",
  },
  {
    name: 'an operator frees what the gateway acknowledged',
    file: REPEATED,
    find: ' && !isAcknowledged(record);',
    write: ';',
  },
  {
    name: 'another body is the same payment',
    file: 'lib/journal/payment/payment-identity.ts',
    find: "hash('sha256', `${operation}\\n{${compared.join(',')}}`)",
    write: "hash('sha256', operation)",
  },
  {
    name: 'the key of an attempt that has ended carries the next one',
    file: REPEATED,
    find: "if (idempotencyKey === record.idempotencyKey) return { act: 'refuse-key' };",
    write: '',
  },
  {
    name: 'an accepted payment forgets that a try of it was refused',
    file: TRANSITIONS,
    find: 'baseUrl: _baseUrl,\n    plannedAt: _plannedAt,',
    write:
      'baseUrl: _baseUrl,\n    keepsKey: _keepsKey,\n    turnedAway: _turnedAway,\n    plannedAt: _plannedAt,',
  },
  // Probes.
  {
    name: 'a payment is probed whose caller allows one try only',
    file: 'lib/gateway/run-call.ts',
    find: 'return mayBeLast ? undefined : doubt?.probe;',
    write: 'return doubt?.probe;',
  },
  {
    name: 'a payment is probed again and again',
    file: PROBES,
    find: 'if (!waits || !record.probe ||',
    write: 'if (!waits ||',
  },
  {
    name: 'a payment is probed although it must not be',
    file: PROBES,
    find: 'const waits = rules.probe[record.family];',
    write: 'const waits = rules.probe[record.family] || { afterAnswerMs: 1, afterSilenceMs: 1 };',
  },
  {
    name: 'a payment is probed after the recovery window',
    file: PROBES,
    find: 'if (idleMs < waitMs || attemptAgeMs(existing) > rules.recoveryWindowMs) return false;',
    write: 'if (idleMs < waitMs) return false;',
  },
  // Leases and replicas.
  {
    name: 'a lease ends with the deadline',
    file: INTENT,
    find: 'CALL_MARGIN_MS = 30_000',
    write: 'CALL_MARGIN_MS = 0',
  },
  {
    name: 'what another call wrote is taken for its own',
    file: INTENT,
    find: 'stored?.record.intent === record.intent && ',
    write: 'stored !== undefined && ',
  },
  {
    name: 'a change of another version goes through',
    file: MEMORY,
    find: 'replace(version: number, record: JournalRecord, leaseMs: number): Promise<StoredJournalRecord | undefined> {\n    const now = this.now();\n    const existing = this.records.find(record);\n    if (existing?.version !== version)',
    write:
      'replace(version: number, record: JournalRecord, leaseMs: number): Promise<StoredJournalRecord | undefined> {\n    const now = this.now();\n    const existing = this.records.find(record);\n    if (!existing)',
  },
  // What was learnt stays.
  {
    name: 'what a status query said is probed anyway',
    file: RECOVERY,
    find: 'if (hasEnd(asked.record)) return { known: true };',
    write: '',
  },
  {
    name: 'an answer opens a payment that has ended',
    file: TRANSITIONS,
    find: "record.state === 'settled' ? open.state : 'accepted'",
    write: "'accepted'",
    seed: '2',
  },
  {
    name: 'an unknown answer opens a payment that has ended',
    file: TRANSITIONS,
    find: "if (known.state !== 'in-flight' && known.state !== 'planned' && known.state !== 'unknown') return known;\n  if (record.state === 'settled') return known;",
    write: '',
  },
  {
    name: 'what may never have been sent is probed',
    file: DECIDE_RECOVERY,
    find: "existing.record.sent && isProbeDue(existing, rules) ? 'probe'",
    write: "isProbeDue(existing, rules) ? 'probe'",
  },
  {
    name: 'a refusal that was not written down is returned as one',
    file: 'lib/journal/payment/payment-result.ts',
    find: "if (!recorded.written && recorded.mayBeSentAgain && result.end !== 'unknown') {",
    write: "if (recorded.written && result.end !== 'unknown' && recorded.existing === null) {",
  },
  {
    name: 'a payment that the journal lost is not written again',
    file: INTENT,
    find: 'return existing ?? restore(this.store, next(this.record));',
    write: 'return existing;',
  },
  {
    name: 'accepted collections are not listed as open',
    file: DECIDE_RECOVERY,
    find: "return acceptedIsOpen ? ['settled', 'rejected'] : [",
    write: 'return [',
  },
  // Interceptors and the gateway's limits.
  {
    name: 'a request that an interceptor changed is sent',
    file: 'lib/gateway/http/send-watch.ts',
    find: 'if (!changed) return;',
    write: 'return;',
  },
  {
    name: 'a request is found by its signal alone, which an interceptor replaced',
    file: 'lib/gateway/http/send-watch.ts',
    find: ' ?? AT_WORK_FOR.getStore()?.()',
    write: '',
  },
  {
    name: 'what an interceptor sent before is forgotten',
    file: DECIDE,
    find: "last.resent && kind !== 'read'",
    write: 'false',
  },
  {
    name: 'an answer that an interceptor got through another client is taken for our own',
    file: 'lib/gateway/http/send-watch.ts',
    find: 'return wasSentOnce(watch) && sawAnswer(watch, answer);',
    write: 'return wasSentOnce(watch);',
  },
  {
    name: 'a limit of the gateway settles an ambiguous call',
    file: DECIDE,
    find: "    case 'success':\n    case 'unknown':\n      return { retry, verdict };",
    write:
      "    case 'success':\n    case 'rate-limit':\n    case 'unknown':\n      return { retry, verdict };",
  },
  // Planned payments.
  {
    name: 'a payment is sent whose transaction is not committed',
    file: 'lib/journal/payment/payment-calls.ts',
    find: '{ ...asked, enlisted: true }',
    write: 'asked',
  },
  {
    name: 'a planned payment is sent under another key',
    file: TRANSITIONS,
    find: 'return begun({ ...record, intent: newIntent() });',
    write: 'return begun({ ...record, idempotencyKey: newIntent(), intent: newIntent() });',
  },
  {
    name: 'a planned payment that was not sent is said to be over',
    file: 'lib/journal/payment/payment-calls.ts',
    find: 'intent.isPlanned ? plannedResult(end, sent) : end',
    write: 'end',
  },
  {
    name: 'a planned payment that was not sent is taken out of the journal',
    file: INTENT,
    find: 'async release(before = this.before): Promise<StoredJournalRecord | undefined> {\n    if (before)',
    write:
      "async release(before = this.before): Promise<StoredJournalRecord | undefined> {\n    if (before && before.state !== 'planned')",
  },
  {
    name: 'recovery leaves planned payments alone',
    file: RECOVERY,
    find: 'return this.stopping.aborted || fullDays.has(existing) ? {} : this.send(existing, fullDays);',
    write: 'return existing.damaged === undefined ? {} : this.send(existing, fullDays);',
  },
  {
    name: 'recovery reads planned payments as settled',
    file: DECIDE_RECOVERY,
    find: "return acceptedIsOpen ? ['settled', 'rejected'] : ['settled', 'rejected', 'accepted'];",
    write:
      "return acceptedIsOpen ? ['planned', 'settled', 'rejected'] : ['planned', 'settled', 'rejected', 'accepted'];",
  },
  {
    name: 'planned payments make room',
    file: MEMORY,
    find: "const DROP_ORDER: readonly JournalState[] = ['settled',",
    write: "const DROP_ORDER: readonly JournalState[] = ['planned', 'settled',",
  },
  // Forgetting.
  {
    name: 'what is forgotten leaves no tombstone',
    file: MEMORY,
    find: 'if (tombstone) return Promise.resolve({ inserted: false, tombstone });',
    write: '',
  },
  {
    name: 'unknown payments make room',
    file: MEMORY,
    find: 'const DROP_ORDER: readonly JournalState[] = [',
    write: "const DROP_ORDER: readonly JournalState[] = ['unknown', ",
  },
];

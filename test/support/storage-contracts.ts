import { describe } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { type ApplicationTransaction } from 'nestjs-payments/testing';
import { conflictContract } from './conflict-contract.js';
import { enlistingHandlerContract } from './enlisting-handler-contract.js';
import { frozenCallContract } from './frozen-call-contract.js';
import { inboxContract } from './inbox-contract.js';
import { joinedJournalContract } from './joined-journal-contract.js';
import { dailyCapContract, journalContract } from './journal-contract.js';

/** A storage, and what lets its time pass. */
export type TestedStorage = PaymentsStorage & { readonly pass: (ms: number) => Promise<void> | void };

/** A storage in the application's database. */
export type JoiningStorage = TestedStorage & {
  readonly begin: () => Promise<ApplicationTransaction> | ApplicationTransaction;
};

/** What every storage promises. Call it inside a `describe`. */
export function storageContracts(open: () => TestedStorage): void {
  describe('its journal', () => {
    journalContract(open);
  });
  describe('its daily caps', () => {
    dailyCapContract(open);
  });
  describe('its inbox', () => {
    inboxContract(open);
  });
  describe('its conflicts', () => {
    conflictContract(open);
  });
}

/** What a storage promises, too, whose journal can join a transaction of the application. */
export function joiningContracts(open: () => JoiningStorage): void {
  describe('its journal inside of a transaction of the application', () => {
    joinedJournalContract(open);
  });
  describe('a payment that is enlisted while a call of it is frozen', () => {
    frozenCallContract(open);
  });
}

/**
 * What a storage promises instead whose claims are transactions. A claim that is left open holds its connection.
 *
 * @param options.hasOneWriter Whether a claim that is open keeps all other writers waiting.
 */
export function transactionalContracts(
  open: () => TestedStorage,
  options: { readonly hasOneWriter?: boolean } = {},
): void {
  describe('its inbox', () => {
    inboxContract(open, { ...options, remembersHandlers: false });
  });
  describe('its conflicts', () => {
    conflictContract(open);
  });
  describe('a payment that a handler enlists', () => {
    enlistingHandlerContract(open);
  });
}

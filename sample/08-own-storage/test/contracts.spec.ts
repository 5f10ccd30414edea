import { describe, expect, it } from '@jest/globals';
import { conflictContract, inboxContract, journalContract } from 'nestjs-payments/testing';
import { MemoryDocuments } from '../src/documents.js';
import { openStorage } from './open-storage.js';

const framework = { describe, it, expect };
const open = () => openStorage(new MemoryDocuments());

describe('documentStorage()', () => {
  describe('its journal', () => {
    journalContract(framework, open);
  });
  describe('its inbox', () => {
    inboxContract(framework, open);
  });
  describe('its conflicts', () => {
    conflictContract(framework, open);
  });
});

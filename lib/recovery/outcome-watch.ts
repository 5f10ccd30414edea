import { journalKeyText } from '../common/journal-key-text.js';
import { type JournalKey } from '../common/journal-port.js';

/** Lets those who wait for an outcome in this process know at once when one is written down. */
export class OutcomeWatch {
  private readonly waiting = new Map<string, Set<() => void>>();

  /** Calls back at every change of a payment, until the returned function is called. */
  on(key: JournalKey, changed: () => void): () => void {
    const id = journalKeyText(key);
    const listeners = this.waiting.get(id) ?? new Set();
    this.waiting.set(id, listeners.add(changed));
    return () => {
      listeners.delete(changed);
      if (listeners.size === 0 && this.waiting.get(id) === listeners) this.waiting.delete(id);
    };
  }

  changed(key: JournalKey): void {
    if (this.waiting.size === 0) return;
    for (const listener of this.waiting.get(journalKeyText(key)) ?? []) listener();
  }
}

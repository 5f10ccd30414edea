import { describe, expect, it, vi } from 'vitest';
import { refusalOf, sendRefusal } from '../../../../lib/webhooks/raw-body/webhook-refusal.js';

describe('a refusal of a webhook', () => {
  it.each([{ headersSent: false }, { sent: false }])('is sent if nothing was answered: %j', (answered) => {
    const send = vi.fn();
    sendRefusal(refusalOf(503), { ...answered, header: vi.fn(), status: () => ({ send }) });
    expect(send).toHaveBeenCalledTimes(1);
  });

  it.each([{ headersSent: true }, { sent: true }])(
    'is not sent if the application has answered meanwhile: %j',
    (answered) => {
      const send = vi.fn();
      sendRefusal(refusalOf(503), { ...answered, header: vi.fn(), status: () => ({ send }) });
      expect(send).not.toHaveBeenCalled();
    },
  );
});

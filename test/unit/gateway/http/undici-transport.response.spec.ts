import { describe, expect, it, vi, type Mock } from 'vitest';
import { type Dispatcher } from 'undici';
import { type SendLimits } from '../../../../lib/gateway/http/http-transport.js';
import { ResponseCollector } from '../../../../lib/gateway/http/undici-transport.js';

const controller = { abort: vi.fn() } as unknown as Dispatcher.DispatchController;

const inTime = { deadline: Infinity, wallDeadline: Infinity };

function collecting(limits: SendLimits = inTime): {
  collector: ResponseCollector;
  onSending: Mock<() => void>;
  isOver: Mock<() => boolean>;
  onEnd: Mock<() => void>;
} {
  const onSending = vi.fn();
  const isOver = vi.fn(() => false);
  const onEnd = vi.fn();
  const collector = new ResponseCollector(onEnd, onSending, limits, isOver);
  collector.answer.catch(() => undefined);
  return { collector, onSending, isOver, onEnd };
}

describe('collecting one response', () => {
  it('refuses to be sent a second time', () => {
    const { collector, onSending } = collecting();
    expect(collector.mayHaveBeenSent()).toBe(false);
    collector.onRequestStart(controller);
    expect(() => {
      collector.onRequestStart(controller);
    }).toThrow('sent once already');
    expect(onSending).toHaveBeenCalledTimes(1);
    expect(collector.mayHaveBeenSent()).toBe(true);
  });

  it('refuses to be sent after it was given up', async () => {
    const { collector, onSending } = collecting();
    collector.abort();
    expect(() => {
      collector.onRequestStart(controller);
    }).toThrow('given up before sending');
    expect(onSending).not.toHaveBeenCalled();
    await expect(collector.answer).rejects.toThrow('given up');
  });

  it('refuses to be sent once the try is over that it belongs to', () => {
    const { collector, onSending, isOver } = collecting();
    isOver.mockReturnValue(true);
    expect(() => {
      collector.onRequestStart(controller);
    }).toThrow('given up before sending');
    expect(onSending).not.toHaveBeenCalled();
  });

  it.each([
    ['clock', { deadline: 0 }],
    ['date', { wallDeadline: 0 }],
  ])('refuses to be sent once the time of the call is up by the %s', (_, passed) => {
    const { collector, onSending } = collecting({ ...inTime, ...passed });
    expect(() => {
      collector.onRequestStart(controller);
    }).toThrow(expect.objectContaining({ code: 'QUEUE_TIMEOUT' }));
    expect(onSending).not.toHaveBeenCalled();
    expect(collector.mayHaveBeenSent()).toBe(false);
  });

  it('ends a request that is under way when it is given up, which does not unsend it', () => {
    const { collector } = collecting();
    collector.onRequestStart(controller);
    collector.abort();
    expect(controller.abort).toHaveBeenCalledTimes(1);
    expect(collector.mayHaveBeenSent()).toBe(true);
  });

  it('takes the final status after an interim one, and joins characters that were cut between chunks', async () => {
    const { collector, onEnd } = collecting();
    collector.onRequestStart(controller);
    collector.onResponseStart(controller, 103, {});
    collector.onResponseStart(controller, 200, { 'x-one': '1', 'content-length': '2' }, 'OK');
    const bytes = Buffer.from('é');
    collector.onResponseData(controller, bytes.subarray(0, 1));
    collector.onResponseData(controller, bytes.subarray(1));
    expect(onEnd).not.toHaveBeenCalled();
    collector.onResponseEnd();
    expect(onEnd).toHaveBeenCalledTimes(1);
    await expect(collector.answer).resolves.toEqual({
      status: 200,
      statusText: 'OK',
      headers: { 'x-one': '1', 'content-length': '2' },
      data: 'é',
    });
  });
});

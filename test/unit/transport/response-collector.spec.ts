import { describe, expect, it, jest } from '@jest/globals';
import { type Dispatcher } from 'undici';
import { ResponseCollector } from '../../../lib/transport/response-collector.js';

const controller = { abort: jest.fn() } as unknown as Dispatcher.DispatchController;
const nothing = (): void => {};

describe('collecting one response', () => {
  it('refuses to be sent a second time', () => {
    const started = jest.fn();
    const collector = new ResponseCollector(nothing, nothing, undefined, started);
    collector.onRequestStart(controller);
    expect(() => {
      collector.onRequestStart(controller);
    }).toThrow('sent once already');
    expect(started).toHaveBeenCalledTimes(1);
  });

  it('refuses to be sent after it was given up', () => {
    const started = jest.fn();
    const collector = new ResponseCollector(nothing, nothing, AbortSignal.abort(), started);
    expect(() => {
      collector.onRequestStart(controller);
    }).toThrow('given up before sending');
    expect(started).not.toHaveBeenCalled();
  });

  it('takes the final status after an interim one, and joins characters that were cut between chunks', () => {
    const resolved = jest.fn();
    const collector = new ResponseCollector(resolved, nothing, undefined, nothing);
    collector.onRequestStart(controller);
    collector.onResponseStart(controller, 103, {});
    collector.onResponseStart(controller, 200, { 'x-one': '1' }, 'OK');
    const bytes = Buffer.from('é');
    collector.onResponseData(controller, bytes.subarray(0, 1));
    collector.onResponseData(controller, bytes.subarray(1));
    collector.onResponseEnd();
    expect(resolved).toHaveBeenCalledWith({
      status: 200,
      statusText: 'OK',
      headers: { 'x-one': '1' },
      text: 'é',
    });
  });
});

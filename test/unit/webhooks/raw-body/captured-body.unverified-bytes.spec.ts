import { describe, expect, it } from 'vitest';
import { EventEmitter } from 'node:events';
import { type ServerResponse } from 'node:http';
import { releaseAtEnd, UnverifiedBytes } from '../../../../lib/webhooks/raw-body/captured-body.js';

describe('the room for unverified bytes', () => {
  it.each(['finish', 'close'])('is free again at the %s of the response, for good', (event) => {
    const room = new UnverifiedBytes();
    const [body, other] = [room.body(100), room.body(100)];
    const response = new EventEmitter();
    releaseAtEnd(response as unknown as ServerResponse, body);
    expect(body.admit(100, true)).toBe(true);
    expect(other.admit(1, true)).toBe(false);
    response.emit(event);
    expect(body.admit(1, true)).toBe(false);
    expect(other.admit(100, true)).toBe(true);
  });

  it('is one for all bodies, and half of it for those that have not come to their end', () => {
    const room = new UnverifiedBytes();
    const [slow, other, whole] = [room.body(100), room.body(100), room.body(100)];
    expect(slow.admit(30, false)).toBe(true);
    expect(other.admit(20, false)).toBe(true);
    expect(other.admit(1, false)).toBe(false);
    expect(whole.admit(50, true)).toBe(true);
    expect(slow.admit(1, true)).toBe(false);
  });

  it('is given back once, and only what was taken', () => {
    const room = new UnverifiedBytes();
    const [first, second, third] = [room.body(10), room.body(10), room.body(10)];
    first.admit(10, true);
    expect(second.admit(10, true)).toBe(false);
    second.release();
    expect(third.admit(1, true)).toBe(false);
    first.release();
    first.release();
    expect(third.admit(10, true)).toBe(true);
    expect(room.body(10).admit(1, true)).toBe(false);
  });
});

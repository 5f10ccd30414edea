import { Injectable } from '@nestjs/common';
import { type ServerResponse } from 'node:http';

/** The bytes of one body that nobody has verified yet. */
export interface UnverifiedBody {
  /** Whether bytes of it count. */
  readonly isHeld: () => boolean;
  /**
   * Whether there is room for more bytes of it; they count until `release`.
   *
   * @param isWhole Whether they are its last.
   */
  readonly admit: (bytes: number, isWhole: boolean) => boolean;
  /** Gives everything back. Nothing of the body is admitted afterwards, so nothing of it can be held for good. */
  readonly release: () => void;
}

/** How much of the room bodies may take that have not come to their end: stalled uploads never shut out what comes whole. */
const SHARE_OF_INCOMPLETE = 0.5;

/** Counts the bytes that the application holds of bodies before their signature was checked, over all connections and accounts. */
@Injectable()
export class UnverifiedBytes {
  private bytes = 0;

  /** Of all bodies together. */
  get held(): number {
    return this.bytes;
  }

  /** @param limit Most bytes of all bodies together. */
  body(limit: number): UnverifiedBody {
    let own = 0;
    let isOpen = true;
    return {
      isHeld: () => own > 0,
      admit: (bytes, isWhole) => {
        if (!isOpen || this.bytes + bytes > limit * (isWhole ? 1 : SHARE_OF_INCOMPLETE)) return false;
        this.bytes += bytes;
        own += bytes;
        return true;
      },
      release: () => {
        this.bytes -= own;
        own = 0;
        isOpen = false;
      },
    };
  }
}

/** Gives back what nobody verified once the request is answered. A response that a host has made up finishes, but never closes. */
export function releaseAtEnd(
  response: Pick<ServerResponse, 'on' | 'writableEnded' | 'destroyed'>,
  { release }: UnverifiedBody,
): void {
  if (response.writableEnded || response.destroyed) release();
  else response.on('finish', release).on('close', release);
}

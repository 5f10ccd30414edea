import { Injectable, type MessageEvent, type OnModuleDestroy } from '@nestjs/common';
import { type PayoutBatch } from 'nestjs-payments/batches';
import { from, map, type Observable, ReplaySubject, takeUntil } from 'rxjs';

/** The progress of batches as server-sent events. */
@Injectable()
export class LiveProgress implements OnModuleDestroy {
  /** Also ends a stream that is asked for after this. */
  private readonly closing = new ReplaySubject<void>(1);

  /** Ends the streams, which would hold the HTTP server open. The page connects again when the desk is back. */
  onModuleDestroy(): void {
    this.closing.next();
  }

  /** Now and at each change, until the batch is not being checked or paid any more. */
  follow(batch: PayoutBatch): Observable<MessageEvent> {
    return from(batch.watch()).pipe(
      map((data) => ({ type: 'progress', data })),
      takeUntil(this.closing),
    );
  }
}

import { Injectable, Logger } from '@nestjs/common';

/** Prints to the log; that of a real shop runs out of paper. */
@Injectable()
export class ReceiptPrinter {
  private readonly logger = new Logger(ReceiptPrinter.name);

  print(reference: string): void {
    this.logger.log(`${reference} is paid`);
  }
}

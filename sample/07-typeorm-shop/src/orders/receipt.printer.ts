import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Order } from './order.entity.js';

/** Prints to the log; that of a real shop runs out of paper. */
@Injectable()
export class ReceiptPrinter {
  private readonly logger = new Logger(ReceiptPrinter.name);

  constructor(@InjectRepository(Order) private readonly orders: Repository<Order>) {}

  /** Prints the receipts that are due. After a crash, or beside another replica, one may be printed twice. */
  async printDue(): Promise<void> {
    for (const { reference } of await this.orders.findBy({ receiptDue: true })) {
      this.print(reference);
      await this.orders.update({ reference }, { receiptDue: false });
    }
  }

  print(reference: string): void {
    this.logger.log(`${reference} is paid`);
  }
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `review`: somebody looks at it, because another amount was paid, or because its goods are sold. */
export type OrderStatus = 'waiting' | 'paid' | 'not-paid' | 'review';

@Entity('orders')
export class Order {
  /** Of the payment too: its webhook names it. */
  @PrimaryColumn('text')
  reference!: string;

  @Column('text')
  product!: string;

  @Column('int')
  quantity!: number;

  @Column('numeric', { precision: 14, scale: 2 })
  amount!: string;

  @Column('text')
  status!: OrderStatus;

  /** A hash of all that the page sent: one that is sent again sends the same. Nobody else sees it. */
  @Column('text', { select: false })
  request!: string;

  /** When the shop last began to ask for the money. */
  @Column('timestamptz', { name: 'asked_at' })
  askedAt!: Date;

  /** An outbox: it is written with the payment, and the receipt is printed after the commit. */
  @Column('boolean', { name: 'receipt_due', default: false })
  receiptDue!: boolean;
}

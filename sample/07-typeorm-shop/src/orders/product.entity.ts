import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('products')
export class Product {
  @PrimaryColumn('text')
  code!: string;

  /** An amount is text with two decimals, as the gateway writes it, and never a number. */
  @Column('numeric', { precision: 14, scale: 2 })
  price!: string;

  @Column('int')
  stock!: number;
}

import { type EntityManager, MoreThanOrEqual } from 'typeorm';
import { type Order } from './order.entity.js';
import { Product } from './product.entity.js';

type Goods = Pick<Order, 'product' | 'quantity'>;

/** Takes the goods of an order. Returns false if too few are left. */
export async function takeGoods(
  { product: code, quantity }: Goods,
  transaction: EntityManager,
): Promise<boolean> {
  const enough = { code, stock: MoreThanOrEqual(quantity) };
  return (await transaction.decrement(Product, enough, 'stock', quantity)).affected === 1;
}

export async function returnGoods(
  { product: code, quantity }: Goods,
  transaction: EntityManager,
): Promise<void> {
  await transaction.increment(Product, { code }, 'stock', quantity);
}

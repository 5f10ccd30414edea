import { type MigrationInterface, type QueryRunner } from 'typeorm';

export class OpenShop1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE products (
        code text PRIMARY KEY,
        price numeric(14, 2) NOT NULL,
        stock integer NOT NULL CHECK (stock >= 0)
      );
      CREATE TABLE orders (
        reference text PRIMARY KEY,
        product text NOT NULL REFERENCES products,
        quantity integer NOT NULL,
        amount numeric(14, 2) NOT NULL,
        status text NOT NULL,
        request text NOT NULL,
        asked_at timestamptz NOT NULL,
        receipt_due boolean NOT NULL DEFAULT false
      );
      INSERT INTO products VALUES ('honey', 12000, 40), ('salt', 2500, 200);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE orders, products');
  }
}

-- The names are in public/english.js and public/swahili.js.
CREATE TABLE products (
  id text PRIMARY KEY,
  position integer NOT NULL,
  price numeric(15, 2) NOT NULL CHECK (price > 0),
  sold integer NOT NULL DEFAULT 0
);

INSERT INTO products (position, id, price) VALUES
  (1, 'kanga', 15000),
  (2, 'kikoi', 28000),
  (3, 'cloves', 8500),
  (4, 'pilau', 6000);

CREATE TABLE orders (
  number text PRIMARY KEY,
  -- Sending one page twice makes one order.
  checkout uuid NOT NULL UNIQUE,
  product text NOT NULL REFERENCES products,
  amount numeric(15, 2) NOT NULL,
  customer_name text NOT NULL,
  phone text NOT NULL,
  email text NOT NULL,
  state text NOT NULL DEFAULT 'placed'
    CHECK (state IN ('placed', 'asking', 'waiting', 'unknown', 'stale', 'review', 'failed', 'paid')),
  reason text,
  version integer NOT NULL DEFAULT 1,
  placed_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON orders (changed_at) WHERE state NOT IN ('placed', 'failed', 'paid');

-- Every reference of an order. After a payment has ended, the next one needs a new reference.
CREATE TABLE order_payments (
  reference text PRIMARY KEY,
  order_number text NOT NULL REFERENCES orders,
  nr integer NOT NULL,
  outcome text CHECK (outcome IN ('success', 'failed', 'cancelled', 'expired')),
  UNIQUE (order_number, nr)
);
-- An order has at most one open payment, whatever the code does.
CREATE UNIQUE INDEX ON order_payments (order_number) WHERE outcome IS NULL;

-- Notifies every instance of the shop of each committed change.
CREATE FUNCTION order_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  NEW.changed_at := now();
  PERFORM pg_notify('order_changed', NEW.number);
  RETURN NEW;
END $$;
CREATE TRIGGER order_changes BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION order_changes();

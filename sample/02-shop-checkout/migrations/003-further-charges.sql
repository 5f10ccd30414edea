-- Webhooks that report one more charge of a payment that had succeeded, and that the office has accepted: give it back.
CREATE TABLE further_charges (
  webhook text PRIMARY KEY,
  reference text NOT NULL REFERENCES order_payments
);

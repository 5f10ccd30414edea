-- After "too many requests": when the customer may try again.
ALTER TABLE orders ADD COLUMN ask_again_at timestamptz;

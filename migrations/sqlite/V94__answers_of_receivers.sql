-- The beginning of a receiver's response to a webhook.

ALTER TABLE webhook_deliveries ADD COLUMN response_body TEXT;

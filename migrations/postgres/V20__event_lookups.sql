-- Events are looked up by their id, which receivers of webhooks know, and by the object that they are about.
CREATE UNIQUE INDEX events_by_id ON events (org, id);
CREATE INDEX events_of_object ON events (org, object_id, sequence);

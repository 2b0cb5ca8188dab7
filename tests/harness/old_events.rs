//! Stores as versions without segments left them: each event is a row of its own.

use bursar::events::{Event, EventRow, EventSegment, EventStream};
use bursar::ids::EventId;
use bursar::store::Reads;
use bursar::webhooks::WebhookDelivery;
use bursar::world::{Record as _, Table, Value};

use super::Server;

/// Returns an id of version 7, which has no place.
fn without_place(id: EventId) -> EventId {
    let mut id = *id.0.as_bytes();
    id[6] = 0x70 | id[6] & 0x0f;
    EventId(uuid::Uuid::from_bytes(id))
}

/// Returns every event as a row of an older version, chained by `link`.
pub fn rows(reads: &Reads, link: impl Fn(&[u8], &Event) -> Vec<u8>) -> Vec<EventRow> {
    let mut rows: Vec<EventRow> = Vec::new();
    let add = |event: &Event| {
        let event = Event { id: without_place(event.id), ..event.clone() };
        let before = rows.last().filter(|row| row.app == event.app).map_or_else(Vec::new, |row| row.hash.clone());
        let hash = link(&before, &event);
        let Event { org, app, sequence, id, name, object_id, version, object, created_at, erased } = event;
        rows.push(EventRow { org, app, sequence, id, name, object_id, version, object, hash, created_at, erased });
        Ok(())
    };
    reads.snapshot(|snapshot| bursar::events::each(snapshot, add)).unwrap();
    rows
}

/// Returns the statements that put these rows in the place of all segments.
pub fn statements(rows: &[EventRow], is_sqlite: bool) -> Vec<String> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let literal = |value: &Value| match value {
        Value::Null => "NULL".to_owned(),
        Value::Id(id) if is_sqlite => format!("x'{}'", id.simple()),
        Value::Id(id) => format!("'{id}'"),
        Value::Int(number) => number.to_string(),
        Value::Bool(yes) => yes.to_string(),
        Value::Time(time) => time.micros().to_string(),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Bytes(bytes) if is_sqlite => format!("x'{}'", hex(bytes)),
        Value::Bytes(bytes) => format!(r"'\x{}'::bytea", hex(bytes)),
    };
    let names: Vec<&str> = EventRow::TABLE.columns.iter().map(|column| column.name).collect();
    let mut statements = vec![
        "DELETE FROM event_segments".to_owned(),
        "DELETE FROM event_objects".to_owned(),
        "UPDATE event_streams SET rows_to = -1, segment = 0".to_owned(),
        // Such versions stored every response with its key.
        "DELETE FROM stored_answers WHERE event IS NOT NULL".to_owned(),
    ];
    for row in rows {
        let values: Vec<String> = row.values().iter().map(literal).collect();
        statements.push(format!("INSERT INTO events ({}) VALUES ({})", names.join(", "), values.join(", ")));
        let [org, app, hash] =
            [Value::Id(row.org.0), Value::Id(row.app.0), Value::Bytes(row.hash.clone())].map(|it| literal(&it));
        statements.push(format!("UPDATE event_streams SET hash = {hash} WHERE org = {org} AND app = {app}"));
    }
    statements
}

impl Server {
    /// Turns the store into one of a version without segments; not over SQLite.
    pub fn forget_segments(&self) {
        let chain = &self.bursar().history.chain;
        let rows = rows(&self.bursar().reads, |before, event| bursar::events::link(chain, before, event));
        for table in [EventSegment::TABLE, bursar::events::EventObject::TABLE] {
            for row in self.rows(table) {
                self.tamper(table, Table::index_values(table.key(), &row), None);
            }
        }
        let mut streams = Vec::new();
        let keep = |stream: &EventStream| {
            streams.push(stream.clone());
            Ok(())
        };
        self.bursar().reads.snapshot(|snapshot| snapshot.each::<EventStream>(keep)).unwrap();
        for stream in streams {
            let last = rows.iter().rfind(|row| row.app == stream.app);
            let hash = last.map_or_else(Vec::new, |row| row.hash.clone());
            let stream = EventStream { hash, rows_to: -1, segment: 0, ..stream };
            self.tamper(EventStream::TABLE, stream.key(), Some(stream.values()));
        }
        let mut deliveries = Vec::new();
        let keep = |delivery: &WebhookDelivery| {
            deliveries.push(WebhookDelivery { event: without_place(delivery.event), ..delivery.clone() });
            Ok(())
        };
        self.bursar().reads.snapshot(|snapshot| snapshot.each::<WebhookDelivery>(keep)).unwrap();
        for delivery in deliveries {
            self.tamper(WebhookDelivery::TABLE, delivery.key(), Some(delivery.values()));
        }
        for row in rows {
            self.tamper(EventRow::TABLE, row.key(), Some(row.values()));
        }
    }
}

//! Lists: one page at a time, newest first, by keyset (docs/decisions.md 5).

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

use crate::clock::Time;
use crate::input::broken;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::query::{Compare, Direction, Query};
use crate::world::record::Cell;
use crate::world::{Halt, Record, Want, World};

/// The default number of objects on a page.
pub const LIMIT_DEFAULT: i64 = 10;
/// The highest number of objects on a page (docs/specification.md, Limits).
pub const LIMIT_MAX: i64 = 100;

/// A page of a list.
#[derive(Clone, Debug, Serialize)]
pub struct ListEnvelope<T> {
    /// Whether more objects exist beyond this page, in the requested direction.
    pub has_more: bool,
    /// The objects.
    pub data: Vec<T>,
}

// By hand, because the derived schema gives all lists one name and omits the name of their objects.
impl<T: ToSchema> PartialSchema for ListEnvelope<T> {
    fn schema() -> RefOr<Schema> {
        let has_more = ObjectBuilder::new()
            .schema_type(Type::Boolean)
            .description(Some("Whether more objects exist after this page, in the requested direction."));
        let data = ArrayBuilder::new().items(Ref::from_schema_name(T::name())).description(Some("The objects."));
        let envelope = ObjectBuilder::new().property("has_more", has_more).property("data", data);
        envelope.required("has_more").required("data").into()
    }
}

impl<T: ToSchema> ToSchema for ListEnvelope<T> {
    fn name() -> Cow<'static, str> {
        let of = T::name();
        Cow::Owned(format!("{}List", of.strip_suffix("Json").unwrap_or(&of)))
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

/// A requested page. A cursor is a value of the column that orders the list: an id or a number.
#[derive(Clone, Debug, Default)]
pub struct PageRequest<Cursor = Uuid> {
    pub limit: Option<i64>,
    /// Return the page after this object.
    pub starting_after: Option<Cursor>,
    /// Return the page just before this object, in list order.
    pub ending_before: Option<Cursor>,
    /// Return only objects created then or later.
    pub created_after: Option<Time>,
    /// Return only objects created earlier.
    pub created_before: Option<Time>,
    /// Oldest first.
    pub ascending: bool,
}

#[derive(Clone, Debug)]
pub struct Page<R> {
    pub has_more: bool,
    /// In list order.
    pub records: Vec<Arc<R>>,
}

impl<R> Page<R> {
    /// Returns the envelope with each record rendered.
    pub fn envelope<T>(&self, mut render: impl FnMut(&R) -> T) -> ListEnvelope<T> {
        ListEnvelope { has_more: self.has_more, data: self.records.iter().map(|record| render(record)).collect() }
    }
}

/// Selects all records of an app; `order` is the column of the list order and of the cursors.
pub fn of_app<R: Record>(scope: Scope, order: &'static str) -> Query {
    Query::of::<R>(scope.org.to_value(), order, 1).equal("app", scope.app)
}

/// Returns one page of the caller's records.
///
/// `mine` selects all records that the caller may see, ordered by the cursor's column; a cursor must be one of them.
/// `filter` applies the filters of the request.
pub fn page<R: Record>(
    world: &mut World,
    mine: Query,
    asked: &PageRequest<impl Cell>,
    filter: impl Fn(Query) -> Query,
) -> Result<Page<R>, Halt> {
    page_of_several(world, &[mine], asked, filter)
}

/// Returns one page of the records that any of these selections has. They have no record in common, and one order.
pub fn page_of_several<R: Record>(
    world: &mut World,
    mine: &[Query],
    asked: &PageRequest<impl Cell>,
    filter: impl Fn(Query) -> Query,
) -> Result<Page<R>, Halt> {
    check_range(("created_after", asked.created_after), ("created_before", asked.created_before))?;
    let cursor = cursor(asked)?.map(|(cursor, name)| (cursor.to_value(), name));
    if let Some((cursor, name)) = &cursor {
        let exactly = |mine: &Query| {
            let order = mine.table.columns[mine.order].name;
            Query { limit: 1, ..mine.clone() }.filter(order, Compare::Equal, cursor.clone())
        };
        if selected::<R>(world, mine.iter().map(exactly).collect())?.is_empty() {
            return Err(not_in_this_list(name).into());
        }
    }
    let limit = usize::try_from(asked.limit.unwrap_or(LIMIT_DEFAULT)).unwrap_or(1);
    let direction = if asked.ascending { Direction::Ascending } else { Direction::Descending };
    let backwards = asked.ending_before.is_some();
    let direction = if backwards { direction.reversed() } else { direction };
    let after = cursor.map(|(cursor, _)| cursor);
    let of_page = |mine: &Query| {
        let query = filter(between(mine.clone(), asked));
        Query { direction, after: after.clone(), limit: limit + 1, ..query }
    };
    let mut records = selected::<R>(world, mine.iter().map(of_page).collect())?;
    let has_more = records.len() > limit;
    records.truncate(limit);
    if backwards {
        records.reverse();
    }
    Ok(Page { has_more, records })
}

/// Returns the records of queries with one order and one direction, in that order.
fn selected<R: Record>(world: &World, queries: Vec<Query>) -> Result<Vec<Arc<R>>, Halt> {
    world.require(queries.iter().cloned().map(Want::Page))?;
    let mut records = Vec::new();
    for query in &queries {
        records.extend(world.page::<R>(query)?);
    }
    if let [Query { order, direction, .. }, _, ..] = queries[..] {
        records.sort_by_cached_key(|record| record.cells(&[order]));
        if direction == Direction::Descending {
            records.reverse();
        }
    }
    Ok(records)
}

/// Returns one page of a few records that are already loaded.
///
/// `records` are all that the caller may see, and a cursor must be one of them. `is_asked_for` filters them, so that a
/// page can continue after an object that no longer matches. `place` returns the id, whose order is that of creation,
/// and the time of creation.
pub fn page_of<R>(
    mut records: Vec<Arc<R>>,
    asked: &PageRequest,
    place: impl Fn(&R) -> (Uuid, Time),
    is_asked_for: impl Fn(&R) -> bool,
) -> Result<Page<R>, Refusal> {
    check_range(("created_after", asked.created_after), ("created_before", asked.created_before))?;
    let cursor = cursor(asked)?;
    if let Some((cursor, name)) = cursor
        && !records.iter().any(|record| place(record).0 == *cursor)
    {
        return Err(not_in_this_list(name));
    }
    let backwards = asked.ending_before.is_some();
    records.retain(|record| {
        let (id, created_at) = place(record);
        let behind =
            cursor.is_none_or(|(cursor, _)| if backwards == asked.ascending { id < *cursor } else { id > *cursor });
        behind
            && is_asked_for(record)
            && asked.created_after.is_none_or(|from| created_at >= from)
            && asked.created_before.is_none_or(|until| created_at < until)
    });
    records.sort_by_key(|record| place(record).0);
    // Nearest to the cursor first, so that the limit cuts off the farthest.
    if backwards == asked.ascending {
        records.reverse();
    }
    let limit = usize::try_from(asked.limit.unwrap_or(LIMIT_DEFAULT)).unwrap_or(1);
    let has_more = records.len() > limit;
    records.truncate(limit);
    if backwards {
        records.reverse();
    }
    Ok(Page { has_more, records })
}

/// Refuses a time of creation that begins after its end. `from` and `until` are query parameters.
pub fn check_range(from: (&str, Option<Time>), until: (&str, Option<Time>)) -> Result<(), Refusal> {
    let ((start, Some(begins)), (end, Some(ends))) = (from, until) else { return Ok(()) };
    if begins <= ends {
        return Ok(());
    }
    let after = broken(Reason::FieldConflict, start, format!("must not be after {end}, which is {ends}"));
    let before = broken(Reason::FieldConflict, end, format!("must not be before {start}, which is {begins}"));
    Err(Refusal {
        message: format!("The time in {start} is after the time in {end}. Exchange them."),
        ..Refusal::fields([after, before].concat())
    })
}

/// Returns the requested cursor and its parameter's name.
fn cursor<Cursor>(asked: &PageRequest<Cursor>) -> Result<Option<(&Cursor, &'static str)>, Refusal> {
    match (&asked.starting_after, &asked.ending_before) {
        (Some(_), Some(_)) => {
            let message = "starting_after and ending_before cannot be combined; send only one of them";
            Err(Refusal::field(Code::InvalidInput, "ending_before", message).because(Reason::FieldConflict))
        }
        (Some(after), None) => Ok(Some((after, "starting_after"))),
        (None, Some(before)) => Ok(Some((before, "ending_before"))),
        (None, None) => Ok(None),
    }
}

fn not_in_this_list(name: &str) -> Refusal {
    let message = "is not an object of this list; use the id of the first or the last object of a page";
    Refusal::field(Code::InvalidInput, name, message).because(Reason::BadFormat)
}

/// Narrows a query to the requested time of creation: the start is inclusive, the end exclusive.
fn between<Cursor>(query: Query, asked: &PageRequest<Cursor>) -> Query {
    let query = match asked.created_after {
        Some(from) => query.filter("created_at", Compare::AtLeast, from.to_value()),
        None => query,
    };
    match asked.created_before {
        Some(until) => query.filter("created_at", Compare::Less, until.to_value()),
        None => query,
    }
}

/// Declares the query of a list: its own filters and the parameters of every list. Cursors are ids, or of the type
/// after `by`.
macro_rules! list_query {
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $($fields:tt)* }
    ) => {
        $crate::http::lists::list_query! { $(#[$meta])* pub struct $name by uuid::Uuid { $($fields)* } }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident by $cursor:ty {
            $($(#[doc = $doc:literal])+ pub $field:ident $(as $wire:literal)?: $type:ty,)*
        }
    ) => {
        $crate::input::input! {
            $(#[$meta])*
            pub struct $name {
                /// The number of objects on a page, 1 to 100; 10 if missing.
                pub limit: Option<$crate::input::types::Integer<1, { $crate::http::lists::LIMIT_MAX }>>,
                /// Return the page after the object with this id.
                pub starting_after: Option<$cursor>,
                /// Return the page just before the object with this id.
                pub ending_before: Option<$cursor>,
                /// Return only objects created at this time or later.
                pub created_after: Option<$crate::clock::Time>,
                /// Return only objects created before this time.
                pub created_before: Option<$crate::clock::Time>,
                $($(#[doc = $doc])+ pub $field $(as $wire)?: $type,)*
            }
        }

        impl $name {
            pub fn asked(&self) -> $crate::http::lists::PageRequest<$cursor> {
                $crate::http::lists::PageRequest {
                    limit: self.limit.map(|limit| limit.0),
                    starting_after: self.starting_after,
                    ending_before: self.ending_before,
                    created_after: self.created_after,
                    created_before: self.created_before,
                    ascending: false,
                }
            }
        }
    };
}
pub(crate) use list_query;

//! The items of a bill and their sum. Pure.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::input::types::{Amount, Integer, Line, LongText};
use crate::input::{Input, Problems, input, wrong};
use crate::money::Cents;
use crate::refusal::{Code, Refusal};
use crate::strict_json::Json;

const ITEMS_MAX: usize = 200;
const QUANTITY_MAX: i64 = 1_000_000_000;
/// In cents; the largest amount of money.
const UNIT_PRICE_MAX: i64 = Cents::AMOUNT_MAX.get();

/// One line of a bill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Item {
    /// Cents: unit_price times quantity.
    #[schema(value_type = i64, example = 2500)]
    pub amount: Cents,
    /// The description of the item.
    #[schema(required)]
    pub description: Option<String>,
    /// The name of the item.
    #[schema(required)]
    pub name: Option<String>,
    /// The number of units.
    #[schema(example = 5)]
    pub quantity: i64,
    /// Cents for each unit.
    #[schema(value_type = i64, example = 500)]
    pub unit_price: Cents,
}

input! {
    /// One line of a bill.
    pub struct ItemParts {
        /// Cents. Must be unit_price times quantity; computed if missing.
        pub amount: Option<Integer<0, UNIT_PRICE_MAX>>,
        /// The description of the item.
        pub description: Option<LongText>,
        /// The name of the item.
        pub name: Option<Line<200>>,
        /// The number of units, from 1.
        pub quantity: Integer<1, QUANTITY_MAX>,
        /// Cents for each unit.
        pub unit_price: Integer<0, UNIT_PRICE_MAX>,
    }
}

impl Input for Item {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let ItemParts { amount, description, name, quantity, unit_price } = ItemParts::read(json, at)?;
        let at = format!("{at}/amount");
        let product = i128::from(unit_price.0) * i128::from(quantity.0);
        let product = i64::try_from(product).ok().filter(|product| *product <= UNIT_PRICE_MAX);
        let product = product.ok_or_else(|| wrong(&at, format!("must be at most {UNIT_PRICE_MAX} cents")))?;
        if amount.is_some_and(|amount| amount.0 != product) {
            return Err(wrong(&at, format!("must be unit_price times quantity, which is {product}")));
        }
        Ok(Self {
            amount: Cents::new(product),
            description: description.map(|description| description.0),
            name: name.map(|name| name.0),
            quantity: quantity.0,
            unit_price: Cents::new(unit_price.0),
        })
    }
    fn schema() -> serde_json::Value {
        ItemParts::schema()
    }
}

/// The lines of a bill. Their sum is an amount that can be paid.
#[derive(Clone, Debug)]
pub struct Items(pub Vec<Item>);

impl Input for Items {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let items = Vec::<Item>::read(json, at)?;
        if items.len() > ITEMS_MAX {
            return Err(wrong(at, format!("must have at most {ITEMS_MAX} items")));
        }
        if !items.is_empty() && sum(&items).is_none() {
            return Err(wrong(at, format!("must have a sum from 1 to {} cents", Cents::AMOUNT_MAX.get())));
        }
        Ok(Self(items))
    }
    fn schema() -> serde_json::Value {
        serde_json::json!({"type": "array", "items": Item::schema(), "maxItems": ITEMS_MAX})
    }
}

/// Returns the sum of the items; `None` if it is not an amount that can be paid.
pub fn sum(items: &[Item]) -> Option<Cents> {
    let sum = items.iter().try_fold(Cents::ZERO, |sum, item| sum.checked_add(item.amount))?;
    (sum.is_positive() && sum <= Cents::AMOUNT_MAX).then_some(sum)
}

/// Returns the amount of a bill: the sum of its items, or else the reported amount, or else the amount before.
///
/// # Errors
/// `invalid-input` for `/amount` when the reported amount differs from the sum (docs/decisions.md 16).
pub fn amount(reported: Option<Amount>, items: &[Item], before: Cents) -> Result<Cents, Refusal> {
    let reported = reported.map(|amount| amount.0);
    match (sum(items), reported) {
        (Some(sum), Some(reported)) if reported != sum => {
            let message = format!("must be the sum of the items, which is {sum}");
            Err(Refusal::field(Code::InvalidInput, "/amount", message))
        }
        (Some(sum), _) => Ok(sum),
        (None, Some(reported)) => Ok(reported),
        (None, None) => Ok(before),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Item>, Vec<String>> {
        let json = Json::parse(text.as_bytes()).unwrap();
        let fields = |problems: Problems| problems.into_iter().map(|problem| problem.field).collect();
        Items::read(&json, "").map(|items| items.0).map_err(fields)
    }

    #[test]
    fn an_item_comes_to_its_price_times_its_quantity() {
        assert_eq!(read(r#"[{"quantity": 5, "unit_price": 500}]"#).unwrap()[0].amount, Cents::new(2_500));
        assert_eq!(read(r#"[{"quantity": 5, "unit_price": 500, "amount": 2500}]"#).unwrap().len(), 1);
        assert_eq!(read(r#"[{"quantity": 5, "unit_price": 500, "amount": 2499}]"#).unwrap_err(), ["/0/amount"]);
    }

    #[test]
    fn items_that_make_no_bill_are_refused() {
        for (text, fields) in [
            (r#"[{"quantity": 0, "unit_price": -1}]"#, vec!["/0/quantity", "/0/unit_price"]),
            (r#"[{"quantity": 1, "unit_price": 0}]"#, vec!["/"]),
            (r#"[{"quantity": 1000000000, "unit_price": 9999999999}]"#, vec!["/0/amount"]),
            (r#"[{"quantity": 1, "unit_price": 9999999999}, {"quantity": 1, "unit_price": 1}]"#, vec!["/"]),
            (r#"[{"name": "Chair"}]"#, vec!["/0/quantity", "/0/unit_price"]),
        ] {
            assert_eq!(read(text).unwrap_err(), fields, "{text}");
        }
        let many = format!("[{}]", [r#"{"quantity": 1, "unit_price": 1}"#; ITEMS_MAX + 1].join(","));
        assert_eq!(read(&many).unwrap_err(), ["/"]);
    }

    #[test]
    fn the_amount_is_what_the_items_come_to() {
        let items = read(r#"[{"quantity": 2, "unit_price": 50}, {"quantity": 1, "unit_price": 7}]"#).unwrap();
        let reported = |cents| Some(Amount(Cents::new(cents)));
        assert_eq!(amount(None, &items, Cents::ZERO), Ok(Cents::new(107)));
        assert_eq!(amount(reported(107), &items, Cents::ZERO), Ok(Cents::new(107)));
        assert_eq!(amount(reported(106), &items, Cents::ZERO).unwrap_err().errors[0].field, "/amount");
        assert_eq!(amount(reported(5), &[], Cents::ZERO), Ok(Cents::new(5)));
        assert_eq!(amount(None, &[], Cents::new(9)), Ok(Cents::new(9)));
    }
}

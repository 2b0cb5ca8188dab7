//! The records of vendors and of the accounts by which they are paid.

use crate::clock::Time;
use crate::ids::{AppId, BankAccountId, MemberId, OrgId, VendorId, VendorPaymentMethodId};
use crate::users::Address;
use crate::world::record::{Document, record, words};

words! {
    /// Whether a vendor can be paid.
    pub enum VendorStatus {
        /// Can be named in bills.
        Active = "active",
        /// Histories still name it.
        Deleted = "deleted",
    }
}

words! {
    /// Where a vendor's payment method stands.
    pub enum MethodStatus {
        /// Added; a second member has yet to confirm it.
        Unconfirmed = "unconfirmed",
        /// Confirmed, or the first of a new vendor; can be paid to from `usable_at` on.
        Confirmed = "confirmed",
        /// Out of use.
        Deleted = "deleted",
    }
}

record! {
    /// Who sends bills.
    pub struct Vendor in "vendors" {
        key (org, id);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: VendorId,
        /// The app.
        pub app: AppId,
        /// Its name; bills show it.
        pub name: String,
        /// Where it is.
        pub address: Document<Address>,
        /// Whom to write to.
        pub contact_email: Option<String>,
        /// The app's own id for it.
        pub external_id: Option<String>,
        /// Whether it can be paid.
        pub status: VendorStatus,
        /// The member who added it, where the request named one.
        pub created_by: Option<MemberId>,
        /// Goes up with each change.
        pub version: i64,
        /// When it was added.
        pub created_at: Time,
        /// When it was deleted.
        pub deleted_at: Option<Time>,
    }
}

record! {
    /// A bank account by which a vendor is paid.
    pub struct VendorPaymentMethod in "vendor_payment_methods" {
        key (org, id)
        many OF_VENDOR (org, vendor);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: VendorPaymentMethodId,
        /// The app.
        pub app: AppId,
        /// Whose it is.
        pub vendor: VendorId,
        /// The account, whose holder is the vendor.
        pub bank_account: BankAccountId,
        /// The name on the account; bills show it.
        pub name: String,
        /// Where it stands.
        pub status: MethodStatus,
        /// The member who added it; known for all but the first of a vendor.
        pub added_by: Option<MemberId>,
        /// The second member; none for the first of a vendor.
        pub confirmed_by: Option<MemberId>,
        /// When it was confirmed.
        pub confirmed_at: Option<Time>,
        /// From when on it can be paid to.
        pub usable_at: Option<Time>,
        /// Goes up with each change.
        pub version: i64,
        /// When it was added.
        pub created_at: Time,
        /// When it last changed.
        pub updated_at: Time,
    }
}

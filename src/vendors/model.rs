use crate::clock::Time;
use crate::ids::{AppId, BankAccountId, MemberId, OrgId, VendorId, VendorPaymentMethodId};
use crate::users::Address;
use crate::world::record::{Document, record, words};

words! {
    /// The state of a vendor.
    pub enum VendorStatus {
        /// Can be named in bills.
        Active = "active",
        /// Deleted; existing bills still name it.
        Deleted = "deleted",
    }
}

words! {
    /// The state of a vendor's payment method.
    pub enum MethodStatus {
        /// Waits for a second member's confirmation.
        Unconfirmed = "unconfirmed",
        /// Confirmed, or the first of a new vendor; can be paid from `usable_at`.
        Confirmed = "confirmed",
        /// Out of use.
        Deleted = "deleted",
    }
}

record! {
    pub struct Vendor in "vendors" {
        key (org, id);
        pub org: OrgId,
        pub id: VendorId,
        pub app: AppId,
        /// Copied into bills.
        pub name: String,
        pub address: Document<Address>,
        pub contact_email: Option<String>,
        pub external_id: Option<String>,
        pub status: VendorStatus,
        /// `None` if the request named no member.
        pub created_by: Option<MemberId>,
        pub version: i64,
        pub created_at: Time,
        pub deleted_at: Option<Time>,
    }
}

record! {
    pub struct VendorPaymentMethod in "vendor_payment_methods" {
        key (org, id)
        many OF_VENDOR (org, vendor);
        pub org: OrgId,
        pub id: VendorPaymentMethodId,
        pub app: AppId,
        pub vendor: VendorId,
        /// An account whose holder is the vendor.
        pub bank_account: BankAccountId,
        /// The name on the account, copied into bills.
        pub name: String,
        pub status: MethodStatus,
        /// Known for all but a vendor's first account.
        pub added_by: Option<MemberId>,
        pub confirmed_by: Option<MemberId>,
        pub confirmed_at: Option<Time>,
        /// The time from which the account can be paid.
        pub usable_at: Option<Time>,
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
    }
}

//! The shapes of an export.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};

use crate::clock::Time;
use crate::events::EventJson;
use crate::http::inputs::word_input;
use crate::ids::{AppId, MessageId, NoticeId, OrgId, UserId};
use crate::messages::{Channel, Message, MessageStatus, PayeeChange};
use crate::payout_links::PayoutLinkJson;
use crate::payout_methods::{MethodOrigin, PayoutMethod};
use crate::payout_requests::PayoutRequestJson;
use crate::text::mask_last4;
use crate::transfers::TransferJson;
use crate::users::notices::ChangeNotice;
use crate::users::screening::ScreeningHitJson;
use crate::users::verification::VerificationJson;
use crate::users::{
    Address, ComplianceDecisionJson, EntityType, MethodDetailsJson, PhoneJson, TaxIdType, TaxYear, User, UserJson,
    UserStatus, method_details, seal_context,
};
use crate::vault::Vault;
use crate::world::record::words;

words! {
    /// A list of an export.
    pub enum Section {
        /// What each app keeps about the payee.
        Profiles = "profiles",
        /// Payout methods.
        PayoutMethods = "payout_methods",
        /// Names of the sanctions list that were like the payee's.
        ScreeningHits = "screening_hits",
        /// What members found out.
        ComplianceDecisions = "compliance_decisions",
        /// Links of the payee.
        PayoutLinks = "payout_links",
        /// Links to the phone number.
        PayoutLinksByPhone = "payout_links_by_phone",
        /// Links to the e-mail address.
        PayoutLinksByEmail = "payout_links_by_email",
        /// Transfers, payouts and payments among them.
        Transfers = "transfers",
        /// Payout requests of the payee.
        PayoutRequests = "payout_requests",
        /// Payout requests from the phone number.
        PayoutRequestsByPhone = "payout_requests_by_phone",
        /// Notices about changes to where the payee's money goes.
        Notices = "notices",
        /// Messages to the phone number.
        MessagesByPhone = "messages_by_phone",
        /// Messages to the e-mail address.
        MessagesByEmail = "messages_by_email",
        /// Events about the payee.
        Events = "events",
        /// Events about codes that were sent to the phone number.
        PhoneVerificationEvents = "phone_verification_events",
        /// Events about codes that were sent to the e-mail address.
        EmailVerificationEvents = "email_verification_events",
    }
}
word_input!(Section);

/// A page of one list.
#[derive(Clone, Debug, Serialize)]
pub struct ExportPage<T> {
    /// The objects.
    pub data: Vec<T>,
    /// The path of the next page.
    pub next: Option<String>,
}

// By hand, because the derived schema gives all pages one name.
impl<T: ToSchema> ComposeSchema for ExportPage<T> {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        let data = ArrayBuilder::new().items(Ref::from_schema_name(T::name())).description(Some("The objects."));
        let next = ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
            .description(Some("The path of the next page of this list; null on the last page."));
        let page = ObjectBuilder::new().property("data", data).property("next", next);
        page.required("data").required("next").into()
    }
}

impl<T: ToSchema> ToSchema for ExportPage<T> {
    fn name() -> Cow<'static, str> {
        let of = T::name();
        Cow::Owned(format!("{}Export", of.strip_suffix("Json").unwrap_or(&of)))
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

/// Everything that is kept of a payee, as far as the caller may see it. A list is null when `section` asks for another.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = UserExport)]
pub struct ExportJson {
    /// The payee.
    pub user_id: UserId,
    /// The app whose data these are; null for everything that the organization keeps.
    #[schema(required)]
    pub app_id: Option<AppId>,
    /// When the export was made.
    #[schema(value_type = String, format = DateTime)]
    pub exported_at: Time,
    /// Who the payee is.
    pub identity: IdentityJson,
    /// Counts of codes of the phone number and the e-mail address. Only for the organization.
    pub verifications: Vec<VerificationJson>,
    /// What each app keeps about the payee, by the apps' ids.
    #[schema(required)]
    pub profiles: Option<ExportPage<ProfileJson>>,
    /// Payout methods, numbers masked.
    #[schema(required)]
    pub payout_methods: Option<ExportPage<ExportedMethodJson>>,
    /// Names of the sanctions list that were like the payee's, and what was decided.
    #[schema(required)]
    pub screening_hits: Option<ExportPage<ScreeningHitJson>>,
    /// What members found out about the payee.
    #[schema(required)]
    pub compliance_decisions: Option<ExportPage<ComplianceDecisionJson>>,
    /// Links that were made for the payee, or that the payee claimed.
    #[schema(required)]
    pub payout_links: Option<ExportPage<PayoutLinkJson>>,
    /// Links to the phone number that are no other user's.
    #[schema(required)]
    pub payout_links_by_phone: Option<ExportPage<PayoutLinkJson>>,
    /// Links to the e-mail address that are no other user's.
    #[schema(required)]
    pub payout_links_by_email: Option<ExportPage<PayoutLinkJson>>,
    /// Transfers of the payee, app by app: payouts, payments and transfers between wallets.
    #[schema(required)]
    pub transfers: Option<ExportPage<TransferJson>>,
    /// Payout requests of the payee.
    #[schema(required)]
    pub payout_requests: Option<ExportPage<PayoutRequestJson>>,
    /// Payout requests from the phone number that are no other user's.
    #[schema(required)]
    pub payout_requests_by_phone: Option<ExportPage<PayoutRequestJson>>,
    /// Notices about changes to where the payee's money goes. Only for the organization.
    #[schema(required)]
    pub notices: Option<ExportPage<ExportedNoticeJson>>,
    /// Messages to the phone number, without their texts.
    #[schema(required)]
    pub messages_by_phone: Option<ExportPage<ExportedMessageJson>>,
    /// Messages to the e-mail address, without their texts.
    #[schema(required)]
    pub messages_by_email: Option<ExportPage<ExportedMessageJson>>,
    /// Events about the payee, app by app, newest first.
    #[schema(required)]
    pub events: Option<ExportPage<EventJson>>,
    /// Events about codes that were sent to the phone number, app by app. Only for the organization.
    #[schema(required)]
    pub phone_verification_events: Option<ExportPage<EventJson>>,
    /// Events about codes that were sent to the e-mail address, app by app. Only for the organization.
    #[schema(required)]
    pub email_verification_events: Option<ExportPage<EventJson>>,
}

/// Who a payee is.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = UserIdentity)]
pub struct IdentityJson {
    /// First name.
    #[schema(required)]
    pub first_name: Option<String>,
    /// Last name.
    #[schema(required)]
    pub last_name: Option<String>,
    /// The phone number.
    #[schema(required)]
    pub phone_number: Option<PhoneJson>,
    /// When the payee verified it.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub phone_verified_at: Option<Time>,
    /// E-mail address.
    #[schema(required)]
    pub email: Option<String>,
    /// When the payee verified it.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub email_verified_at: Option<Time>,
    /// ISO 3166-1 alpha-2.
    #[schema(required)]
    pub country: Option<String>,
    /// The state of the payee.
    pub status: UserStatus,
    /// When the user was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When the payee was erased.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub deleted_at: Option<Time>,
    /// Since when the payee has frozen automatic payouts.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub payouts_frozen_at: Option<Time>,
    /// `YYYY-MM-DD`. Only for the organization.
    #[schema(required)]
    pub date_of_birth: Option<String>,
    /// The address. Only for the organization.
    #[schema(required)]
    pub address: Option<Address>,
    /// The tax form, its number masked. Only for the organization.
    #[schema(required)]
    pub tax_form: Option<ExportedTaxFormJson>,
}

impl IdentityJson {
    /// The identity without what is sealed.
    pub(super) fn of(user: &User) -> Self {
        let phone = user.phone_country_code.clone().zip(user.phone_national.clone());
        Self {
            first_name: user.first_name.clone(),
            last_name: user.last_name.clone(),
            phone_number: phone.map(|(country_code, phone_number)| PhoneJson { country_code, phone_number }),
            phone_verified_at: user.phone_verified_at,
            email: user.email.clone(),
            email_verified_at: user.email_verified_at,
            country: user.country.clone(),
            status: user.status,
            created: user.created_at,
            deleted_at: user.deleted_at,
            payouts_frozen_at: user.payouts_frozen_at,
            date_of_birth: None,
            address: None,
            tax_form: None,
        }
    }

    /// With what is sealed, opened. What does not open is left out; `bursar verify` reports it.
    pub(super) fn opened(self, vault: &Vault, org: OrgId, user: &User) -> Self {
        let open = |sealed: &Option<Vec<u8>>, column| {
            let sealed = sealed.as_deref()?;
            vault.open(&seal_context(org, user.id, column), sealed).ok()
        };
        let born = open(&user.sealed_date_of_birth, "sealed_date_of_birth");
        let address = open(&user.sealed_address, "sealed_address");
        let form = open(&user.sealed_tax_form, "sealed_tax_form");
        Self {
            date_of_birth: born.and_then(|born| String::from_utf8(born).ok()),
            address: address.and_then(|address| serde_json::from_slice(&address).ok()),
            tax_form: form.and_then(|form| ExportedTaxFormJson::read(&form)),
            ..self
        }
    }
}

/// A tax form, its number masked.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ExportedTaxForm)]
pub struct ExportedTaxFormJson {
    /// w9 or w8ben.
    #[schema(example = "w9")]
    pub form: String,
    /// The name on it.
    pub name: String,
    /// Of a W-9: who pays the tax.
    #[schema(required)]
    pub entity_type: Option<EntityType>,
    /// Of a W-9: the business's name.
    #[schema(required)]
    pub business_name: Option<String>,
    /// Of a W-9: which number it has.
    #[schema(required)]
    pub tax_id_type: Option<TaxIdType>,
    /// The number, masked.
    #[schema(required, example = "***6789")]
    pub tax_id: Option<String>,
    /// Of a W-8BEN: citizenship, ISO 3166-1 alpha-2.
    #[schema(required)]
    pub citizenship: Option<String>,
    /// Of a W-8BEN: `YYYY-MM-DD`.
    #[schema(required)]
    pub date_of_birth: Option<String>,
    /// The address on it.
    pub address: Address,
}

impl ExportedTaxFormJson {
    fn read(form: &[u8]) -> Option<Self> {
        let mut form: Value = serde_json::from_slice(form).ok()?;
        let address = serde_json::from_value(form["address"].take()).ok()?;
        let text = |name: &str| form[name].as_str().map(str::to_owned);
        let number = text("tax_id").or_else(|| text("foreign_tax_id"));
        Some(Self {
            form: text("form")?,
            name: text("name")?,
            entity_type: text("entity_type").and_then(|word| EntityType::from_word(&word)),
            business_name: text("business_name"),
            tax_id_type: text("tax_id_type").and_then(|word| TaxIdType::from_word(&word)),
            tax_id: number.map(|number| mask_last4(&number)),
            citizenship: text("citizenship"),
            date_of_birth: text("date_of_birth"),
            address,
        })
    }
}

/// What one app keeps about a payee.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ExportedProfile)]
pub struct ProfileJson {
    /// The app.
    pub app_id: AppId,
    /// Its name.
    pub app_name: String,
    /// Since when it is connected.
    #[schema(value_type = String, format = DateTime)]
    pub connected_at: Time,
    /// When it deleted the user while other apps were connected.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub disconnected_at: Option<Time>,
    /// The payee as this app sees them.
    pub user: UserJson,
    /// What the app paid in each tax year, newest first.
    pub tax_years: Vec<TaxYearJson>,
}

/// What an app paid a payee in a tax year.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ExportedTaxYear)]
pub struct TaxYearJson {
    /// The year.
    pub year: i64,
    /// Cents that count towards a 1099.
    pub reportable: i64,
    /// Whether a payout waits for the tax form.
    pub form_awaited: bool,
}

impl From<&TaxYear> for TaxYearJson {
    fn from(year: &TaxYear) -> Self {
        Self { year: year.year, reportable: year.reportable.get(), form_awaited: year.form_awaited }
    }
}

/// A payout method, numbers masked.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ExportedPayoutMethod)]
pub struct ExportedMethodJson {
    /// The app that uses it.
    pub app_id: AppId,
    /// Who added it.
    pub origin: MethodOrigin,
    /// Whether it can be paid to.
    pub in_use: bool,
    /// When it was set up.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When it was taken out of use.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub disabled_at: Option<Time>,
    /// Why: removed, or the failure's code.
    #[schema(required)]
    pub disabled_reason: Option<String>,
    /// Whose account it is.
    #[schema(required)]
    pub holder_name: Option<String>,
    /// The handle at a wallet.
    #[schema(required)]
    pub handle: Option<String>,
    /// The bank, where it is known.
    #[schema(required)]
    pub bank_name: Option<String>,
    /// The method as it is shown everywhere.
    pub details: MethodDetailsJson,
}

impl From<&PayoutMethod> for ExportedMethodJson {
    fn from(method: &PayoutMethod) -> Self {
        Self {
            app_id: method.app,
            origin: method.origin,
            in_use: method.in_use,
            created: method.created_at,
            disabled_at: method.disabled_at,
            disabled_reason: method.disabled_reason.clone(),
            holder_name: method.holder_name.clone(),
            handle: method.handle.clone(),
            bank_name: method.bank_name.clone(),
            details: method_details(method),
        }
    }
}

/// A notice about a change to where a payee's money goes. The token of its link is not part of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ExportedNotice)]
pub struct ExportedNoticeJson {
    /// Its id.
    pub id: NoticeId,
    /// The app at which the change was made.
    pub app_id: AppId,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// By which way it was sent.
    pub channel: Channel,
    /// The payee's contact from before the change.
    pub sent_to: String,
    /// What was changed.
    pub changes: Vec<PayeeChange>,
    /// The method that was added or chosen, masked.
    #[schema(required)]
    pub payout_method: Option<String>,
}

impl From<&ChangeNotice> for ExportedNoticeJson {
    fn from(notice: &ChangeNotice) -> Self {
        Self {
            id: notice.id,
            app_id: notice.app,
            created: notice.created_at,
            channel: notice.channel,
            sent_to: notice.recipient.clone(),
            changes: notice.changes.0.clone(),
            payout_method: notice.method.clone(),
        }
    }
}

/// That a message was sent. Its text is composed when it is sent and not kept; a code or link in it is a secret.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ExportedMessage)]
pub struct ExportedMessageJson {
    /// Its id.
    pub id: MessageId,
    /// On whose behalf.
    pub app_id: AppId,
    /// When it was queued.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// By which way.
    pub channel: Channel,
    /// What it says.
    #[schema(example = "claim_link")]
    pub kind: &'static str,
    /// What became of it.
    pub status: MessageStatus,
    /// When it was sent.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub sent_at: Option<Time>,
}

impl From<&Message> for ExportedMessageJson {
    fn from(message: &Message) -> Self {
        Self {
            id: message.id,
            app_id: message.app,
            created: message.created_at,
            channel: message.channel,
            kind: message.template.0.kind(),
            status: message.status,
            sent_at: message.sent_at,
        }
    }
}

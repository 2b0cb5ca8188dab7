use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};

use crate::clock::Time;
use crate::events::EventJson;
use crate::ids::{AppId, MessageId, NoticeId, OrgId, UserId};
use crate::input::types::word_input;
use crate::language::Language;
use crate::messages::{Channel, Message, MessageStatus, PayeeChange};
use crate::payout_links::PayoutLinkJson;
use crate::payout_methods::{MethodOrigin, PayoutMethod};
use crate::payout_requests::PayoutRequestJson;
use crate::taxes::TaxIdType;
use crate::text::mask_last4;
use crate::transfers::TransferJson;
use crate::users::notices::ChangeNotice;
use crate::users::screening::ScreeningHitJson;
use crate::users::{
    Address, ComplianceDecisionJson, EntityType, MethodDetailsJson, PhoneJson, TaxYear, User, UserJson, UserStatus,
    method_details, seal_context,
};
use crate::vault::Vault;
use crate::verification::VerificationJson;
use crate::world::record::words;

words! {
    /// A list of an export.
    pub enum Section {
        Profiles = "profiles",
        PayoutMethods = "payout_methods",
        ScreeningHits = "screening_hits",
        ComplianceDecisions = "compliance_decisions",
        PayoutLinks = "payout_links",
        PayoutLinksByPhone = "payout_links_by_phone",
        PayoutLinksByEmail = "payout_links_by_email",
        Transfers = "transfers",
        PayoutRequests = "payout_requests",
        PayoutRequestsByPhone = "payout_requests_by_phone",
        Notices = "notices",
        MessagesByPhone = "messages_by_phone",
        MessagesByEmail = "messages_by_email",
        Events = "events",
        PhoneVerificationEvents = "phone_verification_events",
        EmailVerificationEvents = "email_verification_events",
    }
}
word_input!(Section);

#[derive(Clone, Debug, Serialize)]
pub struct ExportPage<T> {
    pub data: Vec<T>,
    pub next: Option<String>,
}

impl<T> ExportPage<T> {
    pub const fn empty() -> Self {
        Self { data: Vec::new(), next: None }
    }
}

// Implemented by hand, because the derived schema gives all pages the same name.
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

/// All data about a payee that the caller may see. A list is null if `section` names another.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = UserExport)]
pub struct ExportJson {
    /// The payee's id.
    pub user_id: UserId,
    /// The app of the data; null for all data of the organization.
    #[schema(required)]
    pub app_id: Option<AppId>,
    /// When the export was made.
    #[schema(value_type = String, format = DateTime)]
    pub exported_at: Time,
    /// The payee's identity.
    pub identity: IdentityJson,
    /// Counts of codes for the phone number and the e-mail address. Only for the organization.
    pub verifications: Vec<VerificationJson>,
    /// The payee's profile with each app, by app id.
    #[schema(required)]
    pub profiles: Option<ExportPage<ProfileJson>>,
    /// Payout methods with masked numbers.
    #[schema(required)]
    pub payout_methods: Option<ExportPage<ExportedMethodJson>>,
    /// Names on the sanctions list that are similar to the payee's, with the decisions.
    #[schema(required)]
    pub screening_hits: Option<ExportPage<ScreeningHitJson>>,
    /// Members' decisions about the payee.
    #[schema(required)]
    pub compliance_decisions: Option<ExportPage<ComplianceDecisionJson>>,
    /// Links that were created for or claimed by the payee.
    #[schema(required)]
    pub payout_links: Option<ExportPage<PayoutLinkJson>>,
    /// Links to the phone number that belong to no other user.
    #[schema(required)]
    pub payout_links_by_phone: Option<ExportPage<PayoutLinkJson>>,
    /// Links to the e-mail address that belong to no other user.
    #[schema(required)]
    pub payout_links_by_email: Option<ExportPage<PayoutLinkJson>>,
    /// Transfers of the payee by app: payouts, payments and transfers between wallets.
    #[schema(required)]
    pub transfers: Option<ExportPage<TransferJson>>,
    /// Payout requests of the payee.
    #[schema(required)]
    pub payout_requests: Option<ExportPage<PayoutRequestJson>>,
    /// Payout requests from the phone number that belong to no other user.
    #[schema(required)]
    pub payout_requests_by_phone: Option<ExportPage<PayoutRequestJson>>,
    /// Notices about changes to the payee's payout destination. Only for the organization.
    #[schema(required)]
    pub notices: Option<ExportPage<ExportedNoticeJson>>,
    /// Messages to the phone number, without their texts.
    #[schema(required)]
    pub messages_by_phone: Option<ExportPage<ExportedMessageJson>>,
    /// Messages to the e-mail address, without their texts.
    #[schema(required)]
    pub messages_by_email: Option<ExportPage<ExportedMessageJson>>,
    /// Events about the payee by app, newest first.
    #[schema(required)]
    pub events: Option<ExportPage<EventJson>>,
    /// Events about codes sent to the phone number, by app. Only for the organization.
    #[schema(required)]
    pub phone_verification_events: Option<ExportPage<EventJson>>,
    /// Events about codes sent to the e-mail address, by app. Only for the organization.
    #[schema(required)]
    pub email_verification_events: Option<ExportPage<EventJson>>,
}

/// The identity of a payee.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = UserIdentity)]
pub struct IdentityJson {
    /// First name.
    #[schema(required)]
    pub first_name: Option<String>,
    /// Last name.
    #[schema(required)]
    pub last_name: Option<String>,
    /// Phone number.
    #[schema(required)]
    pub phone_number: Option<PhoneJson>,
    /// When the payee verified the phone number.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub phone_verified_at: Option<Time>,
    /// E-mail address.
    #[schema(required)]
    pub email: Option<String>,
    /// When the payee verified the e-mail address.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub email_verified_at: Option<Time>,
    /// ISO 3166-1 alpha-2.
    #[schema(required)]
    pub country: Option<String>,
    /// The state of the user.
    pub status: UserStatus,
    /// When the user was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When the payee was erased.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub deleted_at: Option<Time>,
    /// When the payee froze automatic payouts.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub payouts_frozen_at: Option<Time>,
    /// The language of the payee's last visit.
    #[schema(required)]
    pub language: Option<Language>,
    /// `YYYY-MM-DD`. Only for the organization.
    #[schema(required)]
    pub date_of_birth: Option<String>,
    /// The address. Only for the organization.
    #[schema(required)]
    pub address: Option<Address>,
    /// The tax form with a masked number. Only for the organization.
    #[schema(required)]
    pub tax_form: Option<ExportedTaxFormJson>,
}

impl IdentityJson {
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
            language: user.language,
            date_of_birth: None,
            address: None,
            tax_form: None,
        }
    }

    /// Adds the sealed fields. A field that does not open is left out; `bursar verify` reports it.
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

/// A tax form with a masked number.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ExportedTaxForm)]
pub struct ExportedTaxFormJson {
    /// w9 or w8ben.
    #[schema(example = "w9")]
    pub form: String,
    /// The name on the form.
    pub name: String,
    /// W-9: the type of taxpayer.
    #[schema(required)]
    pub entity_type: Option<EntityType>,
    /// W-9: the name of the business.
    #[schema(required)]
    pub business_name: Option<String>,
    /// W-9: the type of the number.
    #[schema(required)]
    pub tax_id_type: Option<TaxIdType>,
    /// The number, masked.
    #[schema(required, example = "***6789")]
    pub tax_id: Option<String>,
    /// W-8BEN: citizenship, ISO 3166-1 alpha-2.
    #[schema(required)]
    pub citizenship: Option<String>,
    /// W-8BEN: date of birth, `YYYY-MM-DD`.
    #[schema(required)]
    pub date_of_birth: Option<String>,
    /// The address on the form.
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

/// A payee's profile with one app.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ExportedProfile)]
pub struct ProfileJson {
    /// The app's id.
    pub app_id: AppId,
    /// The app's name.
    pub app_name: String,
    /// When the app was connected.
    #[schema(value_type = String, format = DateTime)]
    pub connected_at: Time,
    /// When the app deleted the user while other apps remained connected.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub disconnected_at: Option<Time>,
    /// The user as this app sees it.
    pub user: UserJson,
    /// The app's payments by tax year, newest first.
    pub tax_years: Vec<TaxYearJson>,
}

/// An app's payments to a payee in a tax year.
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

/// A payout method with masked numbers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ExportedPayoutMethod)]
pub struct ExportedMethodJson {
    /// The app that uses the method.
    pub app_id: AppId,
    /// The origin of the method.
    pub origin: MethodOrigin,
    /// Whether the method can be paid.
    pub in_use: bool,
    /// When the method was set up.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When the method was disabled.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub disabled_at: Option<Time>,
    /// The reason: removed, or the code of the failure.
    #[schema(required)]
    pub disabled_reason: Option<String>,
    /// The account holder's name.
    #[schema(required)]
    pub holder_name: Option<String>,
    /// The handle at a wallet.
    #[schema(required)]
    pub handle: Option<String>,
    /// The bank's name, if known.
    #[schema(required)]
    pub bank_name: Option<String>,
    /// The method as shown in other responses.
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

/// A notice about a change to a payee's payout destination, without the token of its link.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ExportedNotice)]
pub struct ExportedNoticeJson {
    /// The notice's id.
    pub id: NoticeId,
    /// The app of the change.
    pub app_id: AppId,
    /// When the notice was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The channel by which the notice was sent.
    pub channel: Channel,
    /// The payee's contact before the change.
    pub sent_to: String,
    /// The changes.
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

/// A message to the payee. Texts are not stored, and their codes and links are secret.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ExportedMessage)]
pub struct ExportedMessageJson {
    /// The message's id.
    pub id: MessageId,
    /// The app that caused the message.
    pub app_id: AppId,
    /// When the message was queued.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The channel of the message.
    pub channel: Channel,
    /// The kind of message.
    #[schema(example = "claim_link")]
    pub kind: &'static str,
    /// The delivery status.
    pub status: MessageStatus,
    /// When the message was sent.
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

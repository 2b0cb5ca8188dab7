//! What is kept of an app's compliance information, and what people see of it.

use serde::{Deserialize, Serialize};
use serde_json::Number;
use utoipa::ToSchema;

use crate::clock::Time;
use crate::ids::{AppId, OrgId};
use crate::text::mask_last4;
use crate::world::record::{record, words};

words! {
    /// How a company is set up.
    pub enum IncorporationType {
        /// One person.
        SoleProprietorship = "sole_proprietorship", // docs/specification.md
        /// Several persons.
        Partnership = "partnership",
        /// A limited liability company.
        Llc = "llc",
        /// A corporation that is taxed itself.
        CCorporation = "c_corporation",
        /// A corporation whose owners are taxed.
        SCorporation = "s_corporation",
        /// A company that makes no profit.
        NonProfit = "non_profit",
    }
}

record! {
    /// An app's compliance information, sealed.
    pub struct AppCompliance in "app_compliance" {
        key (org, app);
        /// The organization.
        pub org: OrgId,
        /// The app.
        pub app: AppId,
        /// A [`Compliance`] as JSON, sealed beside the app's id.
        pub sealed: Vec<u8>,
        /// When it was given first.
        pub created_at: Time,
        /// When it was last changed.
        pub updated_at: Time,
    }
}

/// An app's compliance information. Every field is there; what was not given yet is null.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AppCompliance)]
pub struct Compliance {
    /// The company.
    pub company_info: CompanyInfo,
    /// How it is reached.
    pub contact_info: ContactInfo,
    /// Who directs it.
    pub directors: Vec<Director>,
    /// What it moves money for.
    pub flow_of_funds: FlowOfFunds,
}

/// Shows nothing: nearly all of it is about persons.
impl std::fmt::Debug for Compliance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Compliance(…)")
    }
}

/// The company.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AppComplianceCompany)]
pub struct CompanyInfo {
    /// The name that it does business under.
    #[schema(required)]
    pub dba: Option<String>,
    /// Employer identification number: its last four digits.
    #[schema(required, example = "***6789")]
    pub ein: Option<String>,
    /// When it was incorporated.
    #[schema(required, format = Date)]
    pub incorporation_date: Option<String>,
    /// In which US state, two letters.
    #[schema(required)]
    pub incorporation_state: Option<String>,
    /// As what.
    #[schema(required)]
    pub incorporation_type: Option<IncorporationType>,
    /// Its legal name.
    #[schema(required)]
    pub name: Option<String>,
    /// Its website.
    #[schema(required)]
    pub website: Option<String>,
    /// How many persons own a quarter or more of it, or control it.
    #[schema(required)]
    pub ubo_count: Option<i64>,
}

/// How the company is reached.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AppComplianceContact)]
pub struct ContactInfo {
    /// City.
    #[schema(required)]
    pub city: Option<String>,
    /// Country, two letters.
    #[schema(required)]
    pub country: Option<String>,
    /// E-mail address.
    #[schema(required)]
    pub email: Option<String>,
    /// Street and number.
    #[schema(required)]
    pub line1: Option<String>,
    /// More of it.
    #[schema(required)]
    pub line2: Option<String>,
    /// Phone number, E.164.
    #[schema(required)]
    pub phone_number: Option<String>,
    /// State; two letters in the US.
    #[schema(required)]
    pub state: Option<String>,
    /// Postal code; a ZIP code in the US.
    #[schema(required)]
    pub zip: Option<String>,
}

/// A person who directs or owns the company.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AppComplianceDirector)]
pub struct Director {
    /// Date of birth.
    #[schema(required, format = Date)]
    pub dob: Option<String>,
    /// Social security number: its last four digits.
    #[schema(required, example = "***6789")]
    pub ssn: Option<String>,
    /// E-mail address.
    #[schema(required)]
    pub email: Option<String>,
    /// First name.
    #[schema(required)]
    pub first_name: Option<String>,
    /// Last name.
    #[schema(required)]
    pub last_name: Option<String>,
    /// How much of the company the person owns, 0 to 100.
    #[schema(required, value_type = Option<f64>)]
    pub ownership_percentage: Option<Number>,
    /// Phone number, E.164.
    #[schema(required)]
    pub phone: Option<String>,
    /// What the person is there.
    #[schema(required)]
    pub title: Option<String>,
    /// Where the person lives.
    pub address: DirectorAddress,
}

/// Where a director lives.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AppComplianceAddress)]
pub struct DirectorAddress {
    /// City.
    #[schema(required)]
    pub city: Option<String>,
    /// Street and number.
    #[schema(required)]
    pub line1: Option<String>,
    /// More of it.
    #[schema(required)]
    pub line2: Option<String>,
    /// State; two letters in the US.
    #[schema(required)]
    pub state: Option<String>,
    /// Postal code; a ZIP code in the US.
    #[schema(required)]
    pub zip: Option<String>,
    /// Country, two letters.
    #[schema(required)]
    pub country: Option<String>,
}

/// What the company moves money for.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AppComplianceFlowOfFunds)]
pub struct FlowOfFunds {
    /// Why money moves.
    #[schema(required)]
    pub reasons: Option<String>,
    /// What the app is used for.
    #[schema(required)]
    pub usage: Option<String>,
}

impl Compliance {
    /// As people see it: of the tax office's numbers, the last four digits.
    #[must_use]
    pub fn masked(&self) -> Self {
        let mask = |number: &Option<String>| number.as_deref().map(mask_last4);
        let mut shown = self.clone();
        shown.company_info.ein = mask(&self.company_info.ein);
        for director in &mut shown.directors {
            director.ssn = mask(&director.ssn);
        }
        shown
    }
}

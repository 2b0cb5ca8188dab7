use serde::{Deserialize, Serialize};
use serde_json::Number;
use utoipa::ToSchema;

use crate::clock::Time;
use crate::ids::{AppId, OrgId};
use crate::text::mask_last4;
use crate::world::record::{record, words};

words! {
    /// The legal form of a company.
    pub enum IncorporationType {
        /// A business of one person.
        SoleProprietorship = "sole_proprietorship", // docs/specification.md
        /// A partnership.
        Partnership = "partnership",
        /// A limited liability company.
        Llc = "llc",
        /// A corporation that is taxed itself.
        CCorporation = "c_corporation",
        /// A corporation whose owners are taxed.
        SCorporation = "s_corporation",
        /// A non-profit organization.
        NonProfit = "non_profit",
    }
}

record! {
    pub struct AppCompliance in "app_compliance" {
        key (org, app);
        pub org: OrgId,
        pub app: AppId,
        /// A [`Compliance`] as JSON, sealed with the app's id as context.
        pub sealed: Vec<u8>,
        pub created_at: Time,
        pub updated_at: Time,
    }
}

/// An app's compliance information. Every field is present; missing values are null.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AppCompliance)]
pub struct Compliance {
    /// The company.
    pub company_info: CompanyInfo,
    /// The company's contact data.
    pub contact_info: ContactInfo,
    /// The directors.
    pub directors: Vec<Director>,
    /// The purpose of the payments.
    pub flow_of_funds: FlowOfFunds,
}

/// Shows nothing, because most of it is personal data.
impl std::fmt::Debug for Compliance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Compliance(…)")
    }
}

/// The company.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AppComplianceCompany)]
pub struct CompanyInfo {
    /// The name under which it does business.
    #[schema(required)]
    pub dba: Option<String>,
    /// Employer identification number: its last four digits.
    #[schema(required, example = "***6789")]
    pub ein: Option<String>,
    /// The date of incorporation.
    #[schema(required, format = Date)]
    pub incorporation_date: Option<String>,
    /// The US state of incorporation, two letters.
    #[schema(required)]
    pub incorporation_state: Option<String>,
    /// The legal form.
    #[schema(required)]
    pub incorporation_type: Option<IncorporationType>,
    /// The legal name.
    #[schema(required)]
    pub name: Option<String>,
    /// The website.
    #[schema(required)]
    pub website: Option<String>,
    /// The number of people who own at least a quarter of the company or control it.
    #[schema(required)]
    pub ubo_count: Option<i64>,
}

/// The company's contact data.
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
    /// Second address line.
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

/// A director or owner of the company.
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
    /// The person's share of the company in percent, 0 to 100.
    #[schema(required, value_type = Option<f64>)]
    pub ownership_percentage: Option<Number>,
    /// Phone number, E.164.
    #[schema(required)]
    pub phone: Option<String>,
    /// The person's position in the company.
    #[schema(required)]
    pub title: Option<String>,
    /// The person's home address.
    pub address: DirectorAddress,
}

/// A director's home address.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AppComplianceAddress)]
pub struct DirectorAddress {
    /// City.
    #[schema(required)]
    pub city: Option<String>,
    /// Street and number.
    #[schema(required)]
    pub line1: Option<String>,
    /// Second address line.
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

/// The purpose of the company's payments.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AppComplianceFlowOfFunds)]
pub struct FlowOfFunds {
    /// The reasons for the payments.
    #[schema(required)]
    pub reasons: Option<String>,
    /// The use of the app.
    #[schema(required)]
    pub usage: Option<String>,
}

impl Compliance {
    /// Returns the data with tax numbers masked to their last four digits.
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

use super::Checked;
use crate::http::Answer;
use crate::ids::OrgId;

impl Checked {
    pub fn answer(self, organization: OrgId) -> Answer {
        let answer = self.refusal().map_or_else(|| Answer::empty(200), |refusal| Answer::from(&refusal));
        answer.noting(self.noted(organization))
    }
}

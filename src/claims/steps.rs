//! The steps of a claim, and which are done and which is next: a pure rule.

use crate::world::record::words;

words! {
    /// A step of a claim, in the order in which they are taken.
    pub enum StepName {
        /// Give the contact for a code.
        Contact = "contact",
        /// Type the code.
        Code = "code",
        /// Give your name.
        Profile = "profile",
        /// Give your tax form.
        Compliance = "compliance",
        /// Choose where the money goes.
        Method = "method",
        /// Choose the amount, and confirm.
        Payout = "payout",
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub code_sent: bool,
    /// The code was right and opened a session.
    pub proven: bool,
    pub asks_profile: bool,
    pub has_profile: bool,
    pub asks_compliance: bool,
    pub has_compliance: bool,
    /// A usable method is chosen.
    pub has_method: bool,
    /// Nothing is left to pay out.
    pub paid_out: bool,
}

/// Returns the steps of a claim, without the steps that it does not need.
pub fn all(progress: Progress) -> Vec<StepName> {
    let needed = |step: &StepName| match step {
        StepName::Contact | StepName::Code | StepName::Method | StepName::Payout => true,
        // Before the code, the payee is unknown and the name is likely to be needed.
        StepName::Profile => progress.asks_profile || !progress.proven,
        StepName::Compliance => progress.asks_compliance,
    };
    StepName::ALL.iter().copied().filter(needed).collect()
}

pub const fn is_done(progress: Progress, step: StepName) -> bool {
    match step {
        StepName::Contact => progress.code_sent || progress.proven,
        StepName::Code => progress.proven,
        StepName::Profile => progress.proven && progress.has_profile,
        StepName::Compliance => progress.proven && progress.has_compliance,
        StepName::Method => progress.proven && (progress.has_method || progress.paid_out),
        StepName::Payout => progress.proven && progress.paid_out,
    }
}

pub fn next(progress: Progress) -> Option<StepName> {
    all(progress).into_iter().find(|step| !is_done(progress, *step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newcomer_walks_all_steps_in_order() {
        let mut progress = Progress { asks_profile: true, asks_compliance: true, ..Progress::default() };
        let mut walked = Vec::new();
        while let Some(step) = next(progress) {
            walked.push(step.as_str());
            match step {
                StepName::Contact => progress.code_sent = true,
                StepName::Code => progress.proven = true,
                StepName::Profile => progress.has_profile = true,
                StepName::Compliance => progress.has_compliance = true,
                StepName::Method => progress.has_method = true,
                StepName::Payout => progress.paid_out = true,
            }
        }
        assert_eq!(walked, ["contact", "code", "profile", "compliance", "method", "payout"]);
    }

    #[test]
    fn who_is_known_is_not_asked_again() {
        let known = Progress { proven: true, has_profile: true, has_method: true, ..Progress::default() };
        assert_eq!(all(known), [StepName::Contact, StepName::Code, StepName::Method, StepName::Payout]);
        assert_eq!(next(known), Some(StepName::Payout));
    }

    #[test]
    fn without_the_code_nothing_later_is_done() {
        let link_only = Progress { has_profile: true, has_compliance: true, has_method: true, ..Progress::default() };
        for step in [StepName::Code, StepName::Profile, StepName::Compliance, StepName::Method, StepName::Payout] {
            assert!(!is_done(link_only, step), "{step}");
        }
    }
}

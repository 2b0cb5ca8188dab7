//! The key of each text.

/// Declares a variant for each key of the catalogues: `CodeTitle` is `code_title`.
macro_rules! texts {
    ($($variant:ident),+ $(,)?) => {
        /// A text that payees read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Text {
            $($variant,)+
        }

        impl Text {
            /// All texts, in the order of the catalogues.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            const NAMES: &'static [&'static str] = &[$(stringify!($variant),)+];
        }
    };
}

#[rustfmt::skip]
texts! {
    SkipToContent, ErrorLabel, PleaseCheck, Optional, Choose, ContinueButton, Back, LanguageLabel,
    AmountFromSender, SenderIsSending, SenderSent, SenderPaid, SenderSays, ProgressLabel, StepOf, StepDoneLabel,
    StepContact, StepCode, StepName, StepTaxForm, StepWhere, StepConfirm, ChangeContactLink, SignOut, Sandbox,
    SandboxNoMoney, SandboxInbox, LinkUntil, Moment, PaidWith, WhyLink, Terms, Privacy, Website, QuestionsEmail,
    QuestionsPhone, QuestionsBoth,
    ConfirmTitle, ConfirmTitleNamed, ConfirmLead, TextCodeTo, EmailCodeTo, NotYoursNamed, UseEmail, UsePhone,
    Country, MobileNumber, PhoneNumber, EmailAddress, TextMeCode, EmailMeCode, CodeTitle, CodeDeadTitle,
    CodeResent, CodeDead, SendNewCode, CodeSent, CodeContinues, CodeField, NoCode, UseOtherContact,
    NotYourContact, CodeWrong, CodeOver, SessionReplaced, SessionIdle,
    ContactTitle, ContactSaved, ContactLead, ContactNewEmail, ContactChangeEmail, ContactNewPhone,
    ContactChangePhone, ContactBack, ContactCodesTitle, ContactCodesLead, ContactCodeField, ContactCodesSave,
    ContactCodesAgain, ContactCodesOver, ContactNonePending, ContactChangedBefore, ContactUnusable,
    ContactNeedsVerified, AttemptWrong, AttemptNoCode, AttemptExpired, AttemptDead,
    NameTitle, NameLead, FirstName, LastName, NameEmailHint, TaxTitle, TaxLead, TaxNotUs, TaxWho, TaxIndividual,
    TaxBusiness, TaxName, TaxBusinessName, TaxNumber, TaxSsn, TaxEin, TaxNumberField, TaxNumberHint, Street,
    Apartment, City, State, Zip, TaxCertifyUs, FullName, Citizenship, Birth, ForeignNumber, ForeignNumberHint,
    PostalCode, TaxCertifyForeign,
    WhereTitle, WhereClosed, WhereNoneTitle, WhereFees, WhereSaved, WhereBank, WhereOtherBank,
    WhereUsBank, WhereWallet, WhereGift,
    WhereMore, Fastest, Free, RoutingNumber, RoutingHint, AccountNumber, AccountContinues, AccountAgain, AccountType,
    Checking, Savings, HowFast, AutoPayouts, UseNext, OtherWay, ChooseBelow, NumberAgain, WithIban, WithoutIban, PhoneHint,
    Handle, HandleHint, CashTag, CashTagHint, Iban, IbanHint, Bic, BicHint, BankCode, BankCodeHint, AccountHolder,
    Town, TownHint, AddressCountry,
    RecipientName, RecipientNameHint, Network, WalletAddress, WalletAddressHint, NotePhoneOrHandle,
    NoteEmailOrHandle, NoteCardEmail, NoteWalletEmail, AboutBank, AboutBankAbroad, AboutPickup, AboutEmail,
    AboutPhoneOrHandle, AboutCashTag, AboutEmailOrHandle, AboutWalletAddress, AboutPrepaid, AboutGift, AboutCard,
    WayBankAbroad, WayPickup, MethodAch, MethodWalletA, MethodWalletB, MethodWalletC, MethodWalletD,
    MethodWalletE, MethodPrepaid, MethodGift, MethodBankAbroad, MethodTransfer, MethodBankTransfer, MethodWire,
    MethodCrypto, MethodCard, MethodRtp, MethodChecking, MethodSavings, MethodCryptoOn, MethodTransferTo,
    MethodAndEnd, NoFee, FeeOf, WayOn, WayBy, WaySameDay, WayMinutes, WaySeconds,
    CheckTitle, PartLabel, PartHint, PartUpdate, YouGet, To, Arrives, Fee, FeeTaken, GetAmount, SendElsewhere,
    TakePart, ArrivalOn, ArrivalBy, ArrivalSameDay, ArrivalMinutes, ArrivalSeconds, ArrivalApproved,
    AmountMost, AmountMissing,
    AmountUnclear, AmountUnclearOne, AmountOther, AmountFeeHigher, AmountUnderFee, AmountLast,
    AmountOverToday, AmountOverLeft, AmountNotNow,
    DoneReviewTitle, DonePendingTitle, DoneCompletedTitle, DoneFailedTitle, DoneCanceledTitle, ReturnedBankTitle,
    ReturnedCardBankTitle, ReturnedIssuerTitle, ReturnedWalletTitle, DoneReview, DoneOn, DoneBy, DoneSameDay,
    DoneMinutes, DoneSeconds, DoneCompleted, MoneyIsBack, MoneyBackLessFee, DoneCanceled, DoneClosePage, Status, StatusReview,
    StatusPending, StatusCompleted, StatusFailed, StatusReturned, StatusCanceled, Reference, CheckAgain,
    SeeReceipt, OtherWayToGetPaid, AmountLeft, GetRest, FailureClosed, FailureNoAccount, FailureNumber,
    FailureNotProcessed, FailureFrozen, FailureNotEligible, FailureName, FailureNotFound, FailureLimit,
    FailureOther, ReceiptTitle, ReceiptFrom, ReceiptAmount, ReceiptYouGot, ReceiptArrived, ReceiptPrint,
    ClosedExpiredTitle, ClosedExpired, ClosedExpiredUnnamed, ClosedAsk, ClosedAsked, ClosedCanceledTitle, ClosedCanceled,
    ClosedCanceledUnnamed, ClosedUnknownTitle, ClosedUnknown, ClosedClaimedTitle, ClosedClaimed,
    ClosedClaimedUnnamed, ClosedTriesTitle, ClosedTries, ClosedTriesSome, ClosedHoldTitle, ClosedProblemTitle,
    TryAgain, QuoteRequest, HoldFunds, HoldReview, HoldDisabled, RefusedOtherContact, RefusedContact,
    RefusedNoContact, RefusedLimit, RefusedParts, RefusedChanged, RefusedLocked, RefusedInactive, RefusedUnavailable,
    RefusedTries, RefusedSends, RefusedOther, RefusedPaidOut, RefusedOtherSite, RefusedNotFrozen, RefusedStopped,
    FieldPhone, FieldPhoneMissing, FieldPhoneCountry, FieldPhoneCountryClosed, FieldPhoneOtherCountry,
    FieldPhoneKind, FieldEmail, FieldEmailMissing, FieldCode, FieldCodePresent,
    FieldCodeNew, FieldFirstName, FieldFirstNameMissing, FieldLastName, FieldLastNameMissing, FieldName,
    FieldNameMissing, FieldBusinessName, FieldBusinessNameMissing, FieldTaxNumber, FieldTaxNumberMissing,
    FieldForeignNumber, FieldStreet, FieldStreetMissing, FieldApartment, FieldApartmentMissing, FieldCity,
    FieldCityMissing, FieldState, FieldPostalCode, FieldPostalCodeMissing, FieldZip, FieldZipMissing, FieldCitizenship, FieldCountry,
    FieldCountryMissing, FieldBirth, FieldBirthMissing, FieldCertified, FieldEntity, FieldNumberKind,
    FieldTaxForm, FieldTaxFormMissing, FieldRouting, FieldRoutingMissing, FieldAccount, FieldAccountMissing,
    FieldAccountAgain, FieldAccountAgainMissing, FieldAccountType, FieldWay, FieldSavedWay, FieldNetwork,
    FieldHandle, FieldHandleMissing, FieldCashTag, FieldCashTagMissing, FieldIban, FieldIbanMissing, FieldBic,
    FieldBicMissing, FieldBankCode, FieldBankCodeMissing, FieldHolder, FieldHolderMissing, FieldCurrency,
    FieldCurrencyMissing, FieldAddress, FieldAddressMissing, FieldTown, FieldTownMissing,
    FieldAddressCountry, FieldCard, FieldFixed, FieldUnknown,
    WhyPaying, WhyPayingContact, WhyPaysPeople, WhyWho, WhySender, WhyFor, WhyGenuine, WhyAddress, WhyNeverPay,
    WhyCodes, WhyAsk, WhyReport, WhyReportEmail, WhyReportPhone, WhyReportBoth, WhyReportUsual, WhyUnknown,
    NoticeTitle, NoticeStoppedTitle, NoticeLead, NoticeYours, NoticeNotYours, NoticeStop, NoticeStopped,
    NoticeStartLead, NoticeSendCode, NoticeCodeSent, NoticeStart, NoticeNeverAsk, ChangeMethod,
    ChangeMethodNamed, ChangeDefault, ChangeDefaultNamed, ChangeAuto, ChangeEmail, ChangePhone, ChangeList,
    LetterLinkSubject, LetterReminderSubject, LetterLink, LetterLinkUntil, LetterSaid, LetterStop, LetterQuestions,
    LetterCodeSubject, LetterTheApp, LetterCodeVerify, LetterCodeClaim, LetterCodeContact, LetterCodeUnfreeze,
    LetterFailedSubject, LetterReturnedSubject, LetterFailed, LetterCanceledSubject, LetterCanceled,
    LetterMoneyAtSender, LetterMoneyYours, LetterOtherWay, LetterAskOtherWay, LetterChooseWay, LetterAskExpected,
    LetterSentSubject, LetterSent, LetterCollectedSubject, LetterCollected, LetterArrivedSubject, LetterArrived,
    LetterArrivedFree, LetterChangedSubject, LetterChanged, ReturnerBank, ReturnerCardBank, ReturnerIssuer,
    ReturnerWallet, ReasonFunds, ReasonClosed, ReasonNoAccount, ReasonNumber, ReasonUnauthorized,
    ReasonNotAsAuthorized, ReasonStopped,
    ReasonDeceased, ReasonFrozen, ReasonNotProcessed, ReasonNotEligible, ReasonReceiver, ReasonReversed, ReasonName,
    ReasonNotFound, ReasonLimit, ReasonRejected, MailBecauseLink, MailBecauseCode, MailBecausePaid,
    MailBecauseCollected, MailBecauseChanged, MailBecauseReplied, MailButtonFails, MailWrite, MailCall, MailWriteOrCall,
    MailQuestionsBoth,
}

impl Text {
    /// Returns the key in the catalogues.
    pub(super) fn key(self) -> String {
        let mut key = String::new();
        for letter in Self::NAMES[self as usize].chars() {
            if letter.is_ascii_uppercase() && !key.is_empty() {
                key.push('_');
            }
            key.push(letter.to_ascii_lowercase());
        }
        key
    }
}

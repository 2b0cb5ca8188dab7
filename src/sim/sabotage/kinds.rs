//! The faults.

/// A deliberate fault, to prove that a check finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    None,
    /// The rail accepts a second item for the same transfer.
    RailTakesTwice,
    /// The check allows one delivery fewer than the product, as if the product allowed one too many.
    OneDeliveryTooMany,
    /// The store reports commits as durable before they are.
    LazyStore,
    /// Some commits lose an event.
    LostEvents,
    /// A worker with a stale lease commits.
    StaleLeases,
    /// Approved bills lose their approvals.
    ForgottenApprovals,
    /// Approved requests lose their link.
    ForgottenLinks,
    /// Rows of a batch that succeeded have the status failed.
    DeniedRows,
    /// The provider denies messages that it accepted.
    ProviderDenies,
    /// A reader of lists finds pages by offset.
    PagesByCount,
    /// Links are sent before their money has arrived.
    UnfundedLinks,
    /// Debts of apps are forgotten.
    ForgottenDebts,
    /// The store has no reviews.
    ForgottenReviews,
    /// Apps that require member sessions are served without them.
    AssertedMembers,
    /// Vendors' accounts are paid at once after their confirmation, and new vendors' first accounts at any amount.
    RestlessAccounts,
    /// The sums paid in a year are forgotten.
    ForgottenTaxYears,
    /// Wallet balances differ from their entries.
    WrongBalances,
    /// Captured holds are open again.
    ReopenedHolds,
    ForgottenAnswers,
    /// Events do not follow from their predecessors.
    BrokenChain,
    /// Transactions of the ledger are rewritten, in a column that no sum compares.
    RewrittenLedger,
    /// Links move to another organization's app.
    CrossedTenants,
    /// Jobs get lost that no link needs.
    LostJobs,
    /// Jobs get lost that remind of links and expire them.
    LostLinkJobs,
    /// Sweeps skip links.
    SkippedLinks,
    /// The store connects both apps of an organization to each user that one of them creates.
    SharedPayees,
    /// Sums for limits are forgotten.
    ForgottenLimits,
    /// Held payments are released at once.
    HastyReleases,
    /// The thief at a claim link reads the codes that the payee receives.
    ThiefHasPhone,
    /// Ended claim sessions are open again.
    EndlessSessions,
    /// The store dates every payout method far back.
    RestlessMethods,
    /// Deliveries to a recipient on a day are forgotten.
    ForgottenDeliveries,
    /// New links have the sealed token of another.
    MovedSeals,
    /// Follow-ups that fail keep their changes.
    KeptFollowUps,
    /// A worker that continues a delivery publishes the file without a look at both names.
    SendsWithoutLook,
    /// The bytes that leave differ from those of the records.
    SendsOtherBytes,
    /// A server confirms a name that no file has.
    SendsNothing,
    /// Payments are presumed settled although nothing confirms that their file is at the bank.
    CompletesUnsent,
    /// The product does not know that the bank acknowledges files.
    ForgottenAcknowledgements,
    /// Payments wait for a prenote that does not exist.
    WaitsForNothing,
    /// Entries have a second file.
    EntriesInTwoFiles,
    /// Debits in bank files count as payments.
    TurnedDebits,
    /// The line of a statement debits a file and leaves its money unbooked.
    UnbookedNotCleared,
    /// Files of banks are known by their names only.
    KnowsNamesOnly,
    /// Returns are matched by their amount only.
    MatchesByAmount,
    /// A page of a bank's file is read again.
    ReadsPagesAgain,
    /// Reports of a file get lost.
    LostReports,
    /// Money at the bank moves without a statement.
    MovedAtBank,
    /// The report of a return moves money at the bank before the line of a statement does.
    PostsNotices,
    /// A line of a statement moves the money of a payment twice.
    LinesMoveTwice,
    /// Lines in suspense are forgotten.
    ForgottenSuspense,
    /// Statements are applied over gaps.
    AppliesOverGaps,
}

use serde::Serialize;
use serde_json::json;

use super::factor::{confirmed_place, pending_seal_context};
use super::model::MemberSession;
use super::open::{OpenSession, OpenedSession, Proof};
use super::{
    ChangePassword, ConfirmTotp, Confirmed, EndSession, Invite, Kind, NewToken, RemoveTotp, SetUp, StartTotp, Token,
    rows, rules, totp,
};
use crate::clock::Time;
use crate::email::Email;
use crate::http::lists::{ListEnvelope, list_query, page};
use crate::http::route::route;
use crate::http::{Answer, Call, CredentialKind, Outcome, Route, SignedIn};
use crate::ids::{Entropy, MemberId, MemberSessionId, OrgId};
use crate::input::input;
use crate::input::types::Line;
use crate::members::http::hashed;
use crate::members::inputs::{NewPassword, Password};
use crate::members::json::MemberJson;
use crate::members::model::{Member, MemberStatus};
use crate::members::password;
use crate::members::rows::find;
use crate::permission::Permission;
use crate::program::{Account, network};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::security_log::Noted;
use crate::security_log::SecurityEvent;
use crate::vault::{Purpose, SealContext, Vault};
use crate::world::record::{Cell as _, key};
use crate::world::{Query, World};

const RECOVERY_CODES: usize = 10;
/// In characters.
const CODE_MAX: usize = 32;

input! {
    /// A sign-in.
    pub struct SignIn {
        /// The organization that the member belongs to.
        pub organization_id: OrgId,
        /// The member's e-mail address.
        pub email: Email,
        /// The member's password.
        pub password: Password,
        /// The six digits of the authenticator app, if the member has a second factor.
        pub code: Option<Line<CODE_MAX>>,
        /// A recovery code, in place of code.
        pub recovery_code: Option<Line<CODE_MAX>>,
    }
}

input! {
    /// A change of the member's password.
    pub struct PasswordChange {
        /// The current password.
        pub current_password: Password,
        /// The new password, at least 12 characters.
        pub password: NewPassword,
    }
}

input! {
    /// The member's password, as a proof.
    pub struct PasswordProof {
        /// The member's password.
        pub current_password: Password,
    }
}

input! {
    /// A code of the authenticator app.
    pub struct TotpCode {
        /// Six digits.
        pub code: Line<CODE_MAX>,
    }
}

input! {
    /// A member's first password.
    pub struct SetUpInput {
        /// The token of the invitation.
        pub token: Line<200>,
        /// At least 12 characters.
        pub password: NewPassword,
    }
}

list_query! {
    /// Selects sessions.
    pub struct MemberSessionQuery {
        /// Only this member's sessions. A member who is not an admin always lists their own.
        pub member_id: Option<MemberId>,
    }
}

/// A member's session, without its secret.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = MemberSession)]
pub struct MemberSessionJson {
    /// The id of the session.
    pub id: MemberSessionId,
    /// The member who signed in.
    pub member_id: MemberId,
    /// The network from which the session was opened.
    #[schema(required)]
    pub address: Option<String>,
    /// Whether the member used a second factor.
    pub second_factor: bool,
    /// When the member signed in.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The time of the last request, to within five minutes.
    #[schema(value_type = String, format = DateTime)]
    pub last_used: Time,
    /// When the session ends without further use, or ended.
    #[schema(value_type = String, format = DateTime)]
    pub ends: Time,
    /// When the session was ended; null if it was not.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub ended: Option<Time>,
}

impl From<&MemberSession> for MemberSessionJson {
    fn from(session: &MemberSession) -> Self {
        Self {
            id: session.id,
            member_id: session.member,
            address: session.address.clone(),
            second_factor: session.second_factor,
            created: session.created_at,
            last_used: session.last_used_at,
            ends: rules::ends_at(session),
            ended: session.ended_at,
        }
    }
}

/// A new session with its secret, which is shown here and never again.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct OpenedMemberSessionJson {
    /// The session.
    #[serde(flatten)]
    pub session: MemberSessionJson,
    /// The value of the header `Member-Session`.
    pub token: String,
    /// The member who signed in.
    pub member: MemberJson,
    /// The number of unused recovery codes; null for a member without a second factor.
    #[schema(required)]
    pub recovery_codes_left: Option<usize>,
}

/// A token with which a member sets a password.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct SetUpTokenJson {
    /// The token that `POST /v2/member-set-ups` takes. Give it to the member; it is shown here and never again.
    pub token: String,
    /// When the token expires.
    #[schema(value_type = String, format = DateTime)]
    pub expires: Time,
}

/// A secret for an authenticator app.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct TotpSecretJson {
    /// The secret in Base32, to be typed.
    pub secret: String,
    /// The secret as a URI, to be shown as a QR code.
    pub uri: String,
}

/// The codes that replace the authenticator app.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct RecoveryCodesJson {
    /// Ten codes, each for one sign-in. They are shown here and never again.
    pub recovery_codes: Vec<String>,
}

pub async fn open(call: Call) -> Outcome {
    let SignIn { organization_id: org, email, password, code, recovery_code } = call.body()?;
    if code.is_some() && recovery_code.is_some() {
        return Err(Refusal::field(
            Code::InvalidInput,
            "/recovery_code",
            "cannot be combined with code; send only one of them",
        ));
    }
    let account = account(&call.bursar.vault, org, email.as_str());
    let now = call.bursar.clock.now();
    call.bursar.sign_ins.begin(account, call.peer, now)?;
    let address = call.peer.map(|peer| network(peer).to_string());
    let (wanted, from) = (email.as_str().to_owned(), address.clone());
    let known = call.read(move |world| known(world, org, &wanted, from.as_deref())).await?;
    if !known.as_ref().is_some_and(|known| known.is_known_network) {
        call.bursar.sign_ins.may_from_elsewhere(account, now)?;
    }
    let found = known.and_then(|known| Some((known.member.password_hash.clone()?, known)));
    // An unknown address costs as much time as a wrong password.
    let hash = found.as_ref().map_or_else(|| password::UNKNOWN.to_owned(), |(hash, _)| hash.clone());
    let is_right = call.bursar.sign_ins.hash(move || password::matches(&password.0, &hash)).await?;
    let Some((password_hash, known)) = found.filter(|_| is_right) else {
        call.log_security(SecurityEvent::MemberSessionRefused, "wrong-password", None);
        return Err(wrong());
    };
    let subject = known.member.id.to_string();

    let proof = match (&code, &recovery_code) {
        (Some(code), _) => totp_proof(&call.bursar.vault, org, known.member.id, known.totp.as_deref(), &code.0, now),
        (None, Some(code)) => Proof::Recovery(recovery_hash(&call.bursar.vault, org, known.member.id, &code.0)),
        (None, None) => Proof::None,
    };
    let token = NewToken::draw(&call.bursar.vault, &mut call.bursar.entropy(), Kind::Session, org);
    let secret_hash = token.hash.clone();
    let command = OpenSession { org, member: known.member.id, password_hash, proof, secret_hash, address };
    let opened = call.run_for(org, command).await;
    if let Err(refusal) = &opened {
        if refusal.code == Code::SecondFactorRequired {
            call.bursar.sign_ins.take_back(account, call.peer);
        }
        // The password was right: only a code can be wrong here.
        let is_wrong_code = refusal.code == Code::WrongToken;
        let event = if is_wrong_code { SecurityEvent::SecondFactorFailed } else { SecurityEvent::MemberSessionRefused };
        call.log_security(event, refusal.code.as_str(), Some(&subject));
    }
    let OpenedSession { session, member, recovery_codes_left } = opened?;
    call.bursar.sign_ins.right(account, call.peer);
    call.log_security(SecurityEvent::MemberSessionOpened, "signed-in", Some(&subject));
    Ok(Answer::created(&OpenedMemberSessionJson {
        session: MemberSessionJson::from(&session),
        token: token.shown,
        member: MemberJson::from(&member),
        recovery_codes_left,
    })
    .header("cache-control", "no-store"))
}

/// A stored member who may sign in.
struct Known {
    member: Member,
    totp: Option<Vec<u8>>,
    is_known_network: bool,
}

fn known(world: &World, org: OrgId, email: &str, address: Option<&str>) -> Result<Option<Known>, crate::world::Halt> {
    let members = world.all::<Member>(Member::OF_ORG, key![org])?;
    let is_meant = |member: &Member| member.status == MemberStatus::Active && member.email.eq_ignore_ascii_case(email);
    let Some(member) = members.into_iter().find(|member| is_meant(member)) else { return Ok(None) };
    let factor = world.get::<super::MemberFactor>(key![org, member.id])?;
    let sessions = world.all::<MemberSession>(MemberSession::OF_MEMBER, key![org, member.id])?;
    let is_known_network = sessions.iter().any(|session| session.address.as_deref() == address);
    let totp = factor.and_then(|factor| factor.sealed_totp.clone());
    Ok(Some(Known { member: Member::clone(&member), totp, is_known_network }))
}

/// Returns one refusal for every wrong sign-in, which does not reveal whether the address or the password was wrong.
fn wrong() -> Refusal {
    Refusal::new(Code::Unauthorized, "The e-mail address or the password is wrong.").because(Reason::CredentialsWrong)
}

fn account(vault: &Vault, org: OrgId, email: &str) -> Account {
    let email = email.to_lowercase();
    vault.keyed_hash(Purpose::Fingerprint, &[b"sign-in", org.0.as_bytes(), email.as_bytes()])
}

fn totp_proof(vault: &Vault, org: OrgId, member: MemberId, sealed: Option<&[u8]>, code: &str, now: Time) -> Proof {
    let Some(sealed) = sealed else { return Proof::Wrong };
    match step(vault, &confirmed_place(org, member), sealed, code, now) {
        Some((_, step)) => Proof::Totp { secret: sealed.to_vec(), step },
        None => Proof::Wrong,
    }
}

/// Returns the secret, and the time step of the code.
fn step(vault: &Vault, seal_context: &SealContext, sealed: &[u8], code: &str, now: Time) -> Option<(Vec<u8>, i64)> {
    let digits: String = code.chars().filter(|letter| !letter.is_whitespace()).collect();
    let secret = vault.open(seal_context, sealed).ok()?;
    let step = totp::step_of(&secret, &digits, now)?;
    Some((secret, step))
}

fn recovery_hash(vault: &Vault, org: OrgId, member: MemberId, code: &str) -> String {
    let plain: String = code.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase();
    let parts = [b"recovery".as_slice(), org.0.as_bytes(), member.0.as_bytes(), plain.as_bytes()];
    vault.keyed_hash(Purpose::Login, &parts).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a recovery code of 50 random bits, in two groups of five letters.
fn draw_recovery_code(entropy: &mut Entropy) -> String {
    let text = totp::base32(&entropy.bytes::<7>());
    format!("{}-{}", &text[..5], &text[5..10])
}

fn signed_in(call: &Call) -> Result<SignedIn, Refusal> {
    call.caller.member.ok_or_else(super::ended)
}

/// Returns the signed-in member and their password hash, if the request has the current password. A wrong one counts as
/// a wrong sign-in, so that a stolen session cannot be used to guess passwords.
async fn with_password(call: &Call, current: Password) -> Result<(Member, String), Refusal> {
    let (org, member) = (call.caller.org, signed_in(call)?.member);
    let member = call.read(move |world| Ok(Member::clone(&*find(world, org, member)?))).await?;
    let account = account(&call.bursar.vault, org, &member.email);
    call.bursar.sign_ins.begin(account, call.peer, call.bursar.clock.now())?;
    let hash = member.password_hash.clone().unwrap_or_else(|| password::UNKNOWN.to_owned());
    let compared = hash.clone();
    if !call.bursar.sign_ins.hash(move || password::matches(&current.0, &compared)).await? {
        call.log_security(SecurityEvent::MemberSessionRefused, "wrong-password", Some(&member.id.to_string()));
        return Err(Refusal::field(Code::WrongToken, "/current_password", "is not the member's password")
            .because(Reason::PasswordWrong));
    }
    call.bursar.sign_ins.right(account, call.peer);
    Ok((member, hash))
}

pub async fn list(call: Call) -> Outcome {
    let query: MemberSessionQuery = call.query()?;
    let (org, signed_in) = (call.caller.org, call.caller.member);
    let list = call
        .read(move |world| {
            let whose = match signed_in {
                None => query.member_id,
                Some(signed_in) => {
                    let is_admin = crate::members::may(find(world, org, signed_in.member)?.role, Permission::Govern);
                    if is_admin { query.member_id } else { Some(signed_in.member) }
                }
            };
            let all = Query::of::<MemberSession>(org.to_value(), "id", 1);
            let found = page::<MemberSession>(world, all, &query.asked(), |listed| listed.matching("member", whose))?;
            Ok(found.envelope(|session| MemberSessionJson::from(session)))
        })
        .await?;
    Ok(Answer::ok(&list))
}

pub async fn end(call: Call) -> Outcome {
    let session: MemberSessionId = call.id("member_session_id", "member session")?;
    let by = call.caller.member.map(|signed_in| signed_in.member);
    let ended = call.run(EndSession { org: call.caller.org, session, by }).await?;
    call.log_security(SecurityEvent::MemberSessionEnded, "ended", Some(&ended.member.to_string()));
    Ok(Answer::ok(&MemberSessionJson::from(&ended)))
}

pub async fn change_password(call: Call) -> Outcome {
    let PasswordChange { current_password, password } = call.body()?;
    let (member, current_hash) = with_password(&call, current_password).await?;
    let new_hash = hashed(&call, password).await?;
    let command = ChangePassword { org: call.caller.org, member: member.id, current_hash, new_hash };
    let member = call.run(command).await?;
    call.log_security(SecurityEvent::MemberChanged, "password-changed", Some(&member.id.to_string()));
    Ok(Answer::ok(&MemberJson::from(&member)))
}

pub async fn start_totp(call: Call) -> Outcome {
    let (member, password_hash) = with_password(&call, call.body::<PasswordProof>()?.current_password).await?;
    let org = call.caller.org;
    let mut entropy = call.bursar.entropy();
    let secret: [u8; totp::SECRET_BYTES] = entropy.bytes();
    let sealed = call.bursar.vault.seal(&pending_seal_context(org, member.id), &secret, entropy.bytes());
    call.run(StartTotp { org, member: member.id, password_hash, secret: sealed }).await?;
    let shown = TotpSecretJson { secret: totp::base32(&secret), uri: totp::uri(&secret, &member.email) };
    Ok(Answer::ok(&shown).header("cache-control", "no-store"))
}

pub async fn confirm_totp(call: Call) -> Outcome {
    let (org, member) = (call.caller.org, signed_in(&call)?.member);
    let code = call.body::<TotpCode>()?.code.0;
    let factor = call.read(move |world| world.get::<super::MemberFactor>(key![org, member])).await?;
    let vault = &call.bursar.vault;
    let pending = factor.and_then(|factor| factor.sealed_pending.clone());
    let now = call.bursar.clock.now();
    let mut entropy = call.bursar.entropy();
    let nonce = entropy.bytes();
    let proof = pending.and_then(|pending| {
        let (secret, step) = step(vault, &pending_seal_context(org, member), &pending, &code, now)?;
        let sealed = vault.seal(&confirmed_place(org, member), &secret, nonce);
        Some(Confirmed { pending, sealed, step })
    });
    let recovery_codes: Vec<String> = (0..RECOVERY_CODES).map(|_| draw_recovery_code(&mut entropy)).collect();
    let recovery = recovery_codes.iter().map(|code| recovery_hash(vault, org, member, code)).collect();
    let confirmed = call.run(ConfirmTotp { org, member, proof, recovery }).await;
    if confirmed.as_ref().is_err_and(|refusal| refusal.code == Code::WrongToken) {
        call.log_security(SecurityEvent::SecondFactorFailed, "not-confirmed", Some(&member.to_string()));
    }
    confirmed?;
    call.log_security(SecurityEvent::MemberChanged, "second-factor-added", Some(&member.to_string()));
    Ok(Answer::ok(&RecoveryCodesJson { recovery_codes }).header("cache-control", "no-store"))
}

pub async fn remove_totp(call: Call) -> Outcome {
    let (member, hash) = with_password(&call, call.body::<PasswordProof>()?.current_password).await?;
    call.run(RemoveTotp { org: call.caller.org, member: member.id, password_hash: Some(hash) }).await?;
    call.log_security(SecurityEvent::MemberChanged, "second-factor-removed", Some(&member.id.to_string()));
    Ok(Answer::empty(204))
}

pub async fn reset_totp(call: Call) -> Outcome {
    let member: MemberId = call.id("member_id", "member")?;
    call.run(RemoveTotp { org: call.caller.org, member, password_hash: None }).await?;
    call.log_security(SecurityEvent::MemberChanged, "second-factor-reset", Some(&member.to_string()));
    Ok(Answer::empty(204))
}

pub async fn invite(call: Call) -> Outcome {
    let member: Result<MemberId, Refusal> = call.id("member_id", "member");
    let token = NewToken::draw(&call.bursar.vault, &mut call.bursar.entropy(), Kind::SetUp, call.caller.org);
    let (org, secret_hash) = (call.caller.org, token.hash.clone());
    let by_organization = call.caller.kind == CredentialKind::Organization && call.caller.member.is_none();
    let subject = member.as_ref().ok().map(ToString::to_string);
    let command = member.map(|member| Invite { org, member, secret_hash, by_organization });
    let shown = token.shown;
    let outcome = call
        .once(command, move |expires| {
            Answer::created(&SetUpTokenJson { token: shown.clone(), expires: *expires }).secret()
        })
        .await?;
    call.log_security(SecurityEvent::MemberChanged, "set-up-token-issued", subject.as_deref());
    Ok(outcome)
}

pub async fn set_up(call: Call) -> Outcome {
    let SetUpInput { token, password } = call.body()?;
    let member = set_password(&call, &token.0, password).await?;
    Ok(Answer::ok(&MemberJson::from(&member)))
}

/// Sets a member's password with their set-up token, over the API and on the page.
///
/// # Errors
///
/// `wrong-token`.
pub async fn set_password(call: &Call, token: &str, password: NewPassword) -> Result<Member, Refusal> {
    let set = set_password_of(call, token, password).await;
    match &set {
        Ok(member) => {
            let noted = |event, reason| {
                let subject = member.id.to_string();
                Noted { event, reason, organization: member.org, subject }
            };
            call.log_noted(&[
                noted(SecurityEvent::SetupTokenUsed, "password-set"),
                noted(SecurityEvent::MemberChanged, "password-set"),
            ]);
        }
        Err(refusal) if refusal.code == Code::WrongToken => {
            call.log_security(SecurityEvent::SetupTokenRefused, refusal.code.as_str(), None);
        }
        Err(_) => {}
    }
    set
}

async fn set_password_of(call: &Call, token: &str, password: NewPassword) -> Result<Member, Refusal> {
    let Some(Token { org, hash }) = Token::read(&call.bursar.vault, Kind::SetUp, token) else {
        return Err(rows::unknown());
    };
    // Check the token first: a guess must not cost a password hash.
    let wanted = hash.clone();
    call.read(move |world| rows::valid(world, org, &wanted).map(|_| ())).await?;
    let password_hash = hashed(call, password).await?;
    call.run_for(org, SetUp { org, secret_hash: hash, password_hash }).await
}

const TAG: &str = "Members";

pub fn routes() -> Vec<Route> {
    [session_routes(), own_routes(), set_up_routes()].concat()
}

fn session_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/member-sessions" Anyone "open_member_session" open)
            .about(TAG, "Sign a member in")
            .describe(
                "Returns a session to send in the header Member-Session. The session ends one hour after its last \
                 use, after twelve hours, when it is ended, and when the member's password or role changes. A member \
                 with a second factor also sends code or recovery_code. After wrong attempts, further attempts from \
                 the same address are delayed; the account is never locked.",
            )
            .takes::<SignIn>()
            .example(json!({
                "organization_id": "0198c0de-0000-7000-8000-000000000001", "email": "ada@example.com",
                "password": "correct horse battery"
            }))
            .gives::<OpenedMemberSessionJson>(201, "The member session.")
            .refuses(&[Code::Unauthorized, Code::WrongToken, Code::SecondFactorRequired, Code::RateLimited]),
        route!(Get "/v2/member-sessions" Organization "list_member_sessions" list)
            .members(Permission::Own)
            .about(TAG, "List member sessions")
            .describe("Lists sessions, newest first. A member sees their own sessions; an admin and an organization key see all sessions.")
            .asks::<MemberSessionQuery>()
            .gives::<ListEnvelope<MemberSessionJson>>(200, "One page of the list."),
        route!(Delete "/v2/member-sessions/{member_session_id}" Organization "end_member_session" end)
            .members(Permission::Own)
            .about(TAG, "End a member session")
            .describe(
                "A member ends their own sessions; an admin and an organization key end any session. The session \
                 stops working immediately. A repeated call changes nothing.",
            )
            .gives::<MemberSessionJson>(200, "The member session.")
            .refuses(&[Code::NotFound]),
    ]
}

fn own_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/member-sessions/current/password" Member "change_member_password" change_password)
            .members(Permission::Own)
            .about(TAG, "Change your password")
            .describe("Ends all sessions of the member, including this one. Sign in again.")
            .takes::<PasswordChange>()
            .gives::<MemberJson>(200, "The member.")
            .refuses(&[Code::WrongToken, Code::RateLimited, Code::InvalidState]),
        route!(Post "/v2/member-sessions/current/totp" Member "start_member_totp" start_totp)
            .members(Permission::Own)
            .about(TAG, "Set up a second factor")
            .describe(
                "Returns a secret for an authenticator app (TOTP, SHA-1, six digits, 30 seconds). The factor takes \
                 effect when a code of it is confirmed; until then, a previously confirmed factor stays in force.",
            )
            .takes::<PasswordProof>()
            .gives::<TotpSecretJson>(200, "The secret. Only this response shows it.")
            .refuses(&[Code::WrongToken, Code::RateLimited, Code::InvalidState]),
        route!(Post "/v2/member-sessions/current/totp/confirm" Member "confirm_member_totp" confirm_totp)
            .members(Permission::Own)
            .about(TAG, "Confirm a second factor")
            .describe(
                "From then on, signing in requires a code or one of the ten recovery codes. Each code works once.",
            )
            .takes::<TotpCode>()
            .gives::<RecoveryCodesJson>(200, "The recovery codes. Only this response shows them.")
            .refuses(&[Code::WrongToken, Code::InvalidState]),
        route!(Delete "/v2/member-sessions/current/totp" Member "remove_member_totp" remove_totp)
            .members(Permission::Own)
            .about(TAG, "Remove your second factor")
            .describe("Changes nothing if the member has no second factor.")
            .takes::<PasswordProof>()
            .gives_empty(204, "Done.")
            .refuses(&[Code::WrongToken, Code::RateLimited, Code::InvalidState]),
    ]
}

fn set_up_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/members/{member_id}/set-up-token" Organization "invite_member" invite)
            .members(Permission::Govern)
            .about(TAG, "Create a set-up token for a member's password")
            .describe(
                "The token is valid once, for 24 hours; a new token replaces it. An admin can create one for a member \
                 without a password; replacing a password requires an organization key.",
            )
            .gives::<SetUpTokenJson>(201, "The set-up token.")
            .refuses(&[Code::NotFound]),
        route!(Post "/v2/member-set-ups" Anyone "set_up_member" set_up)
            .about(TAG, "Set a password with a set-up token")
            .describe("The token works once. Afterwards the member signs in with the password.")
            .takes::<SetUpInput>()
            .example(json!({"token": "mp_…", "password": "correct horse battery"}))
            .gives::<MemberJson>(200, "The member.")
            .refuses(&[Code::WrongToken, Code::NotFound]),
        route!(Delete "/v2/members/{member_id}/totp" Organization "reset_member_totp" reset_totp)
            .about(TAG, "Remove a member's second factor")
            .describe(
                "For a member who lost their authenticator app and their recovery codes. Changes nothing if the \
                 member has no second factor.",
            )
            .gives_empty(204, "Done.")
            .refuses(&[Code::NotFound]),
    ]
}

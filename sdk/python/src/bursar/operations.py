"""Generated from openapi.json by `make sdk`. Do not edit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import models
from .transport import Transport


class Operations(Transport):
    """The operations of the API: one method for each."""

    def create_app(self, body: models.CreateAppRequest, *, idempotency_key: str | None = None) -> models.CreatedApp:
        """Create an app.

        Only this response shows the keys. The sandbox approves the app immediately.
        """
        return self.request("POST", "/v2/apps", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_apps(self, *, app_id: str | None = None) -> list[models.App]:
        """List apps.

        Lists the organization's apps, newest first. An app's key lists its own app only.
        """
        return self.request("GET", "/v2/apps", app_id=app_id)

    def get_app(self, app_id: str) -> models.App:
        """Get an app.

        Returns one app. An app's key reads its own app only.
        """
        return self.request("GET", f"/v2/apps/{self.part(app_id)}")

    def update_app(self, app_id: str, body: models.UpdateAppRequest | None = None) -> models.App:
        """Update an app's name or metadata.

        Changes only the fields that are sent. The new name is in pages and messages from then on.
        """
        return self.request("PATCH", f"/v2/apps/{self.part(app_id)}", body=body)

    def delete_app(self, app_id: str) -> models.App:
        """Delete an app.

        Refused while the app holds money or has open bills, payout requests or batches. Revokes the app's keys and erases the data of its company, directors and bank account; the history remains.
        """
        return self.request("DELETE", f"/v2/apps/{self.part(app_id)}")

    def get_app_settings(self, app_id: str) -> models.Settings:
        """Get an app's settings.

        Returns all settings of the app.
        """
        return self.request("GET", f"/v2/apps/{self.part(app_id)}/settings")

    def update_app_settings(self, app_id: str, body: models.UpdateAppSettingsRequest | None = None) -> models.Settings:
        """Update an app's settings.

        Updates the settings that are sent; null restores a default. If fees is sent, it becomes a new version of the fee table, in force immediately or from fees_effective_at. Requires an organization key or an admin's session, so that an app cannot raise its own limits.
        """
        return self.request("PUT", f"/v2/apps/{self.part(app_id)}/settings", body=body)

    def list_app_fee_tables(self, app_id: str, *, limit: int | None = None, starting_after: int | None = None, ending_before: int | None = None, created_after: str | None = None, created_before: str | None = None) -> models.FeeTableList:
        """List the versions of an app's fee table.

        Lists the versions, newest first. Each change of the setting fees creates a version. The version in force is the one with the latest start time that is not in the future.
        """
        return self.request("GET", f"/v2/apps/{self.part(app_id)}/fee-tables", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before})

    def list_organizations(self) -> models.OrganizationList:
        """Get your organization.

        Returns a list with the organization of the key.
        """
        return self.request("GET", "/v2/organizations")

    def create_app_key(self, app_id: str, body: models.CreateAppKeyRequest | None = None, *, idempotency_key: str | None = None) -> models.ShownKey:
        """Create a key for an app.

        An app can have two active keys at a time, so that a rotation can overlap. Only this response shows the secret. From expires_at on, requests with the key get status 401.
        """
        return self.request("POST", f"/v2/apps/{self.part(app_id)}/keys", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_app_keys(self, app_id: str) -> models.KeyList:
        """List an app's keys.

        Lists the app's keys, also those that were revoked, without their secrets.
        """
        return self.request("GET", f"/v2/apps/{self.part(app_id)}/keys")

    def delete_app_key(self, app_id: str, client_id: str) -> models.Key:
        """Revoke a key.

        The key stops working within five seconds. A repeated call changes nothing.
        """
        return self.request("DELETE", f"/v2/apps/{self.part(app_id)}/keys/{self.part(client_id)}")

    def create_first_organization(self, body: models.CreateFirstOrganizationRequest) -> models.CreatedOrganization:
        """Create the first organization.

        Requires the setup token that a production server prints when it starts with an empty store. The token is valid once, for one hour. Only this response shows the keys of the organization and its app. The administrator signs in with admin_password, or sets a password with administrator.set_up. The page /setup/{token} does the same in a browser.
        """
        return self.request("POST", "/v2/setup", body=body)

    def get_app_brand(self, app_id: str) -> models.Brand:
        """Get an app's brand.

        Returns how the app appears to payees: on the claim page, on receipts and in messages.
        """
        return self.request("GET", f"/v2/apps/{self.part(app_id)}/brand")

    def update_app_brand(self, app_id: str, body: models.UpdateAppBrandRequest | None = None) -> models.Brand:
        """Update an app's brand.

        Updates the fields that are sent; null removes a field. Links must be https, and white text on the color must have a contrast of at least 4.5. Requires an organization key or an admin's session, so that an app's key cannot pass for another sender.
        """
        return self.request("PUT", f"/v2/apps/{self.part(app_id)}/brand", body=body)

    def set_app_logo(self, app_id: str, body: models.SetAppLogoRequest) -> models.Brand:
        """Set an app's logo.

        Replaces the logo. The file is a PNG, JPEG or WebP image; its header decides, not a name. Caches may show the old logo for an hour.
        """
        return self.request("PUT", f"/v2/apps/{self.part(app_id)}/logo", body=body)

    def delete_app_logo(self, app_id: str) -> models.Brand:
        """Remove an app's logo.

        Pages and mails then show the first letter of the app's name. A repeated call changes nothing.
        """
        return self.request("DELETE", f"/v2/apps/{self.part(app_id)}/logo")

    def set_app_compliance(self, app_id: str, body: models.SetAppComplianceRequest | None = None) -> models.AppCompliance:
        """Add or update an app's compliance information.

        Updates the fields that are sent; null clears a field. Each entry of directors updates the director at the same index; an empty list removes all directors. Responses show the last four digits of tax numbers only.
        """
        return self.request("PUT", f"/v2/apps/{self.part(app_id)}/compliance", body=body)

    def get_app_compliance(self, app_id: str) -> models.AppCompliance:
        """Get an app's compliance information.

        Returns every field; a field that was never set is null.
        """
        return self.request("GET", f"/v2/apps/{self.part(app_id)}/compliance")

    def create_member(self, body: models.CreateMemberRequest, *, idempotency_key: str | None = None) -> models.Member:
        """Add a member to the organization.

        Adds a person who acts for the organization. The role decides what the member may do.
        """
        return self.request("POST", "/v2/members", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_members(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, status: models.MemberStatus | None = None, app_id: str | None = None) -> models.MemberList:
        """List members.

        Lists members, newest first. With an app key, returns the id, number, name and role of active members, so that the app can name the acting member.
        """
        return self.request("GET", "/v2/members", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "status": status}, app_id=app_id)

    def iterate_members(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, status: models.MemberStatus | None = None, app_id: str | None = None) -> Iterator[models.Member]:
        """List members: all of them, page by page."""
        return self.pages(lambda after: self.list_members(limit=limit, created_after=created_after, created_before=created_before, status=status, app_id=app_id, starting_after=after))

    def update_member(self, member_id: str, body: models.UpdateMemberRequest | None = None) -> models.Member:
        """Update a member.

        Changes only the fields that are sent.
        """
        return self.request("PATCH", f"/v2/members/{self.part(member_id)}", body=body)

    def delete_member(self, member_id: str) -> models.Member:
        """Remove a member.

        A removed member can no longer act; histories still name them. A repeated call changes nothing.
        """
        return self.request("DELETE", f"/v2/members/{self.part(member_id)}")

    def open_member_session(self, body: models.OpenMemberSessionRequest) -> models.OpenedMemberSession:
        """Sign a member in.

        Returns a session to send in the header Member-Session. The session ends one hour after its last use, after twelve hours, when it is ended, and when the member's password or role changes. A member with a second factor also sends code or recovery_code. After wrong attempts, further attempts from the same address are delayed; the account is never locked.
        """
        return self.request("POST", "/v2/member-sessions", body=body)

    def list_member_sessions(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, member_id: str | None = None) -> models.MemberSessionList:
        """List member sessions.

        Lists sessions, newest first. A member sees their own sessions; an admin and an organization key see all sessions.
        """
        return self.request("GET", "/v2/member-sessions", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "member_id": member_id})

    def iterate_member_sessions(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, member_id: str | None = None) -> Iterator[models.MemberSession]:
        """List member sessions: all of them, page by page."""
        return self.pages(lambda after: self.list_member_sessions(limit=limit, created_after=created_after, created_before=created_before, member_id=member_id, starting_after=after))

    def end_member_session(self, member_session_id: str) -> models.MemberSession:
        """End a member session.

        A member ends their own sessions; an admin and an organization key end any session. The session stops working immediately. A repeated call changes nothing.
        """
        return self.request("DELETE", f"/v2/member-sessions/{self.part(member_session_id)}")

    def change_member_password(self, body: models.ChangeMemberPasswordRequest, *, idempotency_key: str | None = None) -> models.Member:
        """Change your password.

        Ends all sessions of the member, including this one. Sign in again.
        """
        return self.request("POST", "/v2/member-sessions/current/password", body=body, idempotency_key=idempotency_key or self.new_key())

    def start_member_totp(self, body: models.StartMemberTotpRequest, *, idempotency_key: str | None = None) -> models.TotpSecret:
        """Set up a second factor.

        Returns a secret for an authenticator app (TOTP, SHA-1, six digits, 30 seconds). The factor takes effect when a code of it is confirmed; until then, a previously confirmed factor stays in force.
        """
        return self.request("POST", "/v2/member-sessions/current/totp", body=body, idempotency_key=idempotency_key or self.new_key())

    def remove_member_totp(self, body: models.RemoveMemberTotpRequest) -> None:
        """Remove your second factor.

        Changes nothing if the member has no second factor.
        """
        return self.request("DELETE", "/v2/member-sessions/current/totp", body=body)

    def confirm_member_totp(self, body: models.ConfirmMemberTotpRequest, *, idempotency_key: str | None = None) -> models.RecoveryCodes:
        """Confirm a second factor.

        From then on, signing in requires a code or one of the ten recovery codes. Each code works once.
        """
        return self.request("POST", "/v2/member-sessions/current/totp/confirm", body=body, idempotency_key=idempotency_key or self.new_key())

    def invite_member(self, member_id: str, body: models.InviteMemberRequest | None = None, *, idempotency_key: str | None = None) -> models.SetUpToken:
        """Create a set-up token for a member's password.

        The token is valid once, for 24 hours; a new token replaces it. An admin can create one for a member without a password; replacing a password requires an organization key.
        """
        return self.request("POST", f"/v2/members/{self.part(member_id)}/set-up-token", body=body, idempotency_key=idempotency_key or self.new_key())

    def set_up_member(self, body: models.SetUpMemberRequest) -> models.Member:
        """Set a password with a set-up token.

        The token works once. Afterwards the member signs in with the password.
        """
        return self.request("POST", "/v2/member-set-ups", body=body)

    def reset_member_totp(self, member_id: str) -> None:
        """Remove a member's second factor.

        For a member who lost their authenticator app and their recovery codes. Changes nothing if the member has no second factor.
        """
        return self.request("DELETE", f"/v2/members/{self.part(member_id)}/totp")

    def create_user(self, body: models.CreateUserRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.User:
        """Create a user.

        The phone number identifies the user within the organization. If this app already has a user with the phone number, the call returns that user. If only another app has one, the call is refused with `user-in-another-app`; with an organization key and Api-App-Id it connects the existing user to the app instead and keeps the user's data.
        """
        return self.request("POST", "/v2/users", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_users(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, phone_number: str | None = None, email: str | None = None, status: models.UserStatus | None = None, metadata: str | None = None, app_id: str | None = None) -> models.UserList:
        """List the app's users.

        Lists the users that are connected to the app, newest first.
        """
        return self.request("GET", "/v2/users", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "phone_number": phone_number, "email": email, "status": status, "metadata": metadata}, app_id=app_id)

    def iterate_users(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, phone_number: str | None = None, email: str | None = None, status: models.UserStatus | None = None, metadata: str | None = None, app_id: str | None = None) -> Iterator[models.User]:
        """List the app's users: all of them, page by page."""
        return self.pages(lambda after: self.list_users(limit=limit, created_after=created_after, created_before=created_before, phone_number=phone_number, email=email, status=status, metadata=metadata, app_id=app_id, starting_after=after))

    def connect_user(self, body: models.ConnectUserRequest, *, idempotency_key: str | None = None) -> models.User:
        """Connect a user to an app.

        Lets another app of the organization pay the user. The user must be active. A repeated call changes nothing.
        """
        return self.request("POST", "/v2/users/connect", body=body, idempotency_key=idempotency_key or self.new_key())

    def get_user(self, user_id: str, *, app_id: str | None = None) -> models.User:
        """Get a user.

        Returns one user, as the app sees them.
        """
        return self.request("GET", f"/v2/users/{self.part(user_id)}", app_id=app_id)

    def update_user(self, user_id: str, body: models.UpdateUserRequest | None = None, *, app_id: str | None = None) -> models.User:
        """Update a user.

        Updates all fields that are sent, or none. The default payout method, automatic payouts, metadata and excluded rails belong to this app's profile of the payee. An app can change a phone number or e-mail address only if the app wrote it and it is not verified. An organization key can change both; the payee verifies the new contact.
        """
        return self.request("PATCH", f"/v2/users/{self.part(user_id)}", body=body, app_id=app_id)

    def delete_user(self, user_id: str, *, app_id: str | None = None) -> models.User:
        """Delete a user.

        Erases the payee's data; the id and the ledger remain. With an app key, if other apps are connected to the payee, erases only this app's profile and payout methods. A repeated call returns the same response. Refused while the user is under a sanctions review.
        """
        return self.request("DELETE", f"/v2/users/{self.part(user_id)}", app_id=app_id)

    def send_verification_token(self, user_id: str, body: models.SendVerificationTokenRequest | None = None, *, app_id: str | None = None, idempotency_key: str | None = None) -> None:
        """Send the user a verification code.

        Sends a six-digit code by text message, or by a call with use_voice. The code is valid once, for ten minutes and five attempts. Limits: five codes an hour per phone number, 200 a day per app. A new code replaces the previous one and does not reset the attempts while that code is valid. Wrong codes of a phone number count across all apps and links: after 10, each wrong code blocks it for an hour, after 30 for a day, and after 100 it is locked.
        """
        return self.request("POST", f"/v2/users/{self.part(user_id)}/send-verification-token", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def verify_user(self, user_id: str, body: models.VerifyUserRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.User:
        """Verify a user with a code.

        Verifies the user if the code is the one that send-verification-token sent. A code accepts a limited number of tries.
        """
        return self.request("POST", f"/v2/users/{self.part(user_id)}/verify", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def unlock_verification(self, body: models.UnlockVerificationRequest | None = None, *, idempotency_key: str | None = None) -> models.Verification:
        """Unlock a phone number or an e-mail address.

        Clears the count of wrong codes, so that codes can be sent and verified again. Requires an organization key or an admin's session, and is recorded as an administrative act. The contact does not have to belong to a user. A repeated call changes nothing. Returns 404 if no code was ever sent to the contact.
        """
        return self.request("POST", "/v2/verifications/unlock", body=body, idempotency_key=idempotency_key or self.new_key())

    def set_user_address(self, user_id: str, body: models.SetUserAddressRequest, *, app_id: str | None = None) -> None:
        """Set a user's address.

        Replaces the whole address.
        """
        return self.request("PUT", f"/v2/users/{self.part(user_id)}/addresses", body=body, app_id=app_id)

    def get_notice(self, token: str, *, claim_session: str | None = None) -> models.Notice:
        """Get a notice.

        A payee receives a notice when a payout method is added, the default payout method changes, automatic payouts are switched on, or the e-mail address or phone number changes. The token of its link is the credential and works for 90 days. This call changes nothing.
        """
        return self.request("GET", f"/v2/notices/{self.part(token)}", headers={"Claim-Session": claim_session})

    def freeze_automatic_payouts(self, token: str, *, claim_session: str | None = None) -> models.Notice:
        """Freeze automatic payouts to the payee.

        Payouts to the payee from every app of the organization become links until the payee verifies a code: one that POST /v2/notices/{token}/code sends, or one to a contact that the organization wrote later. No key can end the freeze. A repeated call changes nothing.
        """
        return self.request("POST", f"/v2/notices/{self.part(token)}/freeze", headers={"Claim-Session": claim_session})

    def send_unfreeze_code(self, token: str, *, claim_session: str | None = None) -> models.Notice:
        """Send a code to the payee's contact from before the change.

        The code proves that the payee still has the earlier contact, and ends the freeze.
        """
        return self.request("POST", f"/v2/notices/{self.part(token)}/code", headers={"Claim-Session": claim_session})

    def unfreeze_automatic_payouts(self, token: str, body: models.UnfreezeAutomaticPayoutsRequest, *, claim_session: str | None = None) -> models.Notice:
        """Unfreeze automatic payouts with the code.

        Ends the freeze if the code is the one that POST /v2/notices/{token}/code sent.
        """
        return self.request("POST", f"/v2/notices/{self.part(token)}/unfreeze", body=body, headers={"Claim-Session": claim_session})

    def update_user_compliance(self, user_id: str, body: models.UpdateUserComplianceRequest, *, app_id: str | None = None) -> models.User:
        """Record a finding about a user.

        Records a document check, the state of a background check, the response of the tax office, or warnings that are cleared or raised. bursar stores the member, the time and the reason. Payouts of a user with the warning payout_method_cycle or name_mismatch are flagged and wait until a member approves or cancels them.
        """
        return self.request("PATCH", f"/v2/users/{self.part(user_id)}/compliance", body=body, app_id=app_id)

    def set_user_compliance(self, user_id: str, body: models.SetUserComplianceRequest | None = None, *, app_id: str | None = None) -> models.User:
        """Set a user's tax form.

        Takes a W-9 or a W-8BEN. Numbers are stored encrypted and never returned in full. A new form replaces the previous one.
        """
        return self.request("PUT", f"/v2/users/{self.part(user_id)}/compliance", body=body, app_id=app_id)

    def list_compliance_decisions(self, user_id: str, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, app_id: str | None = None) -> models.ComplianceDecisionList:
        """List the findings about a user.

        Lists the decisions of members about a user's compliance fields, newest first.
        """
        return self.request("GET", f"/v2/users/{self.part(user_id)}/compliance-decisions", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before}, app_id=app_id)

    def iterate_compliance_decisions(self, user_id: str, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, app_id: str | None = None) -> Iterator[models.ComplianceDecision]:
        """List the findings about a user: all of them, page by page."""
        return self.pages(lambda after: self.list_compliance_decisions(user_id, limit=limit, created_after=created_after, created_before=created_before, app_id=app_id, starting_after=after))

    def list_payout_methods(self, user_id: str, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, platform: models.RequestedPlatform | None = None, app_id: str | None = None) -> models.PayoutMethodDetailsList:
        """List a user's payout methods.

        Lists the methods in use that the app's payouts can go to, newest first, with masked numbers.
        """
        return self.request("GET", f"/v2/users/{self.part(user_id)}/payout-methods", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "platform": platform}, app_id=app_id)

    def iterate_payout_methods(self, user_id: str, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, platform: models.RequestedPlatform | None = None, app_id: str | None = None) -> Iterator[models.PayoutMethodDetails]:
        """List a user's payout methods: all of them, page by page."""
        return self.pages(lambda after: self.list_payout_methods(user_id, limit=limit, created_after=created_after, created_before=created_before, platform=platform, app_id=app_id, starting_after=after))

    def set_payout_method(self, user_id: str, body: models.SetPayoutMethodRequest, *, app_id: str | None = None) -> models.PayoutMethodDetails:
        """Set up a payout method for a verified user.

        Send the platform and the fields that it requires. Sending the same details again returns the existing method. A card of prepaid_card_a or gift_card_a is delivered by e-mail: send email unless the user has one. Card numbers are never accepted: send card_token.
        """
        return self.request("PUT", f"/v2/users/{self.part(user_id)}/payout-methods", body=body, app_id=app_id)

    def list_payout_methods_unversioned(self, user_id: str, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, platform: models.RequestedPlatform | None = None, app_id: str | None = None) -> models.PayoutMethodDetailsList:
        """List a user's payout methods (path without version).

        Answers as the path with the version does.
        """
        return self.request("GET", f"/users/{self.part(user_id)}/payout-methods", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "platform": platform}, app_id=app_id)

    def iterate_payout_methods_unversioned(self, user_id: str, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, platform: models.RequestedPlatform | None = None, app_id: str | None = None) -> Iterator[models.PayoutMethodDetails]:
        """List a user's payout methods (path without version): all of them, page by page."""
        return self.pages(lambda after: self.list_payout_methods_unversioned(user_id, limit=limit, created_after=created_after, created_before=created_before, platform=platform, app_id=app_id, starting_after=after))

    def remove_payout_method(self, user_id: str, method_id: str, *, app_id: str | None = None) -> models.PayoutMethodDetails:
        """Remove a payout method.

        Payouts in progress are not affected. A repeated call changes nothing.
        """
        return self.request("DELETE", f"/v2/users/{self.part(user_id)}/payout-methods/{self.part(method_id)}", app_id=app_id)

    def list_payout_options(self, user_id: str, *, app_id: str | None = None) -> models.PayoutOptionList:
        """List the payout rails available to a user.

        Returns each rail that is open to the user, with its fees and its time of arrival, on one page.
        """
        return self.request("GET", f"/v2/users/{self.part(user_id)}/payout-options", app_id=app_id)

    def get_screening_list(self, *, app_id: str | None = None) -> models.ScreeningList:
        """Get the sanctions list in use.

        Returns the version of the list and the progress of screening all users with it. A new list screens all users again.
        """
        return self.request("GET", "/v2/screening/list", app_id=app_id)

    def get_user_screening(self, user_id: str, *, app_id: str | None = None) -> models.UserScreening:
        """Get the screening result of a user.

        Returns the matches between the user's names and the sanctions list, and the decisions about them.
        """
        return self.request("GET", f"/v2/users/{self.part(user_id)}/screening", app_id=app_id)

    def clear_user_screening(self, user_id: str, body: models.ClearUserScreeningRequest, *, idempotency_key: str | None = None) -> models.UserScreening:
        """Clear a sanctions match.

        Ends the review: the user is not the person on the list. The user's status is as before the review, and the same pair of names does not match again. This call also reverts a confirmation.
        """
        return self.request("POST", f"/v2/users/{self.part(user_id)}/screening/clear", body=body, idempotency_key=idempotency_key or self.new_key())

    def confirm_user_screening(self, user_id: str, body: models.ConfirmUserScreeningRequest, *, idempotency_key: str | None = None) -> models.UserScreening:
        """Confirm a sanctions match.

        Ends the review: the user is the person on the list. The user is disabled and flagged. Nothing is paid out; money in the wallet stays there.
        """
        return self.request("POST", f"/v2/users/{self.part(user_id)}/screening/confirm", body=body, idempotency_key=idempotency_key or self.new_key())

    def export_user(self, user_id: str, *, section: models.Section | None = None, after: str | None = None, limit: int | None = None, app_id: str | None = None) -> models.UserExport:
        """Export a payee's data.

        With an organization key, returns all data of the payee in the organization. With an app key, or an organization key and Api-App-Id, returns the payee's identity and the data of that app. Payouts and payments are transfers of that type. Each list has one page; `next` is the path of the next page. After the erasure of the payee, the export returns the data in the retention table of the operating guide; until the erasure job ends, the status is 503. The export never contains secrets, codes or claim links; account numbers and tax numbers are masked. It does not contain rows of batches that name the payee, nor vendors and payment customers, who are not users. The call changes nothing; the security log records it.
        """
        return self.request("GET", f"/v2/users/{self.part(user_id)}/export", query={"section": section, "after": after, "limit": limit}, app_id=app_id)

    def send_payout(self, body: models.SendPayoutRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.PayoutLink:
        """Send a payout.

        Sends money to a phone number, an e-mail address or a user. A user of this app with automatic payouts is paid immediately by their default payout method; any other payee receives a payout link. A payee who is identified by an e-mail address alone always receives a link.
        """
        return self.request("POST", "/v2/payouts/send-payout", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def create_payout(self, body: models.CreatePayoutRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Transfer:
        """Pay out a user by a payout rail.

        Pays a verified user by the payout rail in platform, from the user's wallet or, with fund=true, from the app's wallet. The fees equal the fee estimate of the same payout. Above the app's payout_approval_limit the transfer is flagged and waits for a member to approve it.
        """
        return self.request("POST", "/v2/payouts", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def estimate_payout_fees(self, *, user_id: str, amount: int | None = None, platform: models.EstimatePlatform, account_id: str | None = None, payout_fee_party: models.Party | None = None, payout_fee_fixed: int | None = None, payout_fee_percent: str | None = None, explain: bool | None = None, app_id: str | None = None) -> models.FeeEstimate:
        """Estimate the fees of a payout.

        Creates no transfer and moves no money. Without an amount, no checks run, platform is the requested rail, and all amounts are null. explain=true adds the calculation of each fee.
        """
        return self.request("GET", "/v2/payouts/fee-estimate", query={"user_id": user_id, "amount": amount, "platform": platform, "account_id": account_id, "payout_fee_party": payout_fee_party, "payout_fee_fixed": payout_fee_fixed, "payout_fee_percent": payout_fee_percent, "explain": explain}, app_id=app_id)

    def approve_transfer(self, transfer_id: str, body: models.ApproveTransferRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Transfer:
        """Approve a flagged payout.

        Approves a payout above the app's payout_approval_limit. Requires the organization's key with Api-App-Id, or the session of a member with the role admin or payer. With member_proof required, only the session proves the member.
        """
        return self.request("POST", f"/v2/transfers/{self.part(transfer_id)}/approve", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def cancel_transfer(self, transfer_id: str, body: models.CancelTransferRequest | None = None, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Transfer:
        """Cancel a payout.

        Allowed while the payout is flagged or bursar has not begun to send it to its rail. Returns the amount and the fees. A repeated call changes nothing.
        """
        return self.request("POST", f"/v2/transfers/{self.part(transfer_id)}/cancel", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def create_payout_link(self, body: models.CreatePayoutLinkRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.PayoutLink:
        """Create a payout link.

        Holds the amount and delivers the link. If the wallet does not cover the amount, the request is refused.
        """
        return self.request("POST", "/v2/payout-links", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_payout_links(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, status: models.LinkStatus | None = None, phone_number: str | None = None, email: str | None = None, user_id: str | None = None, app_id: str | None = None) -> models.PayoutLinkList:
        """List payout links.

        Lists the app's payout links, newest first.
        """
        return self.request("GET", "/v2/payout-links", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "status": status, "phone_number": phone_number, "email": email, "user_id": user_id}, app_id=app_id)

    def iterate_payout_links(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, status: models.LinkStatus | None = None, phone_number: str | None = None, email: str | None = None, user_id: str | None = None, app_id: str | None = None) -> Iterator[models.PayoutLink]:
        """List payout links: all of them, page by page."""
        return self.pages(lambda after: self.list_payout_links(limit=limit, created_after=created_after, created_before=created_before, status=status, phone_number=phone_number, email=email, user_id=user_id, app_id=app_id, starting_after=after))

    def get_payout_link(self, payout_link_id: str, *, app_id: str | None = None) -> models.PayoutLink:
        """Get a payout link.

        Returns one payout link with its current status.
        """
        return self.request("GET", f"/v2/payout-links/{self.part(payout_link_id)}", app_id=app_id)

    def cancel_payout_link(self, payout_link_id: str, *, app_id: str | None = None) -> models.PayoutLink:
        """Cancel an unclaimed payout link.

        Releases the held amount. A repeated call changes nothing.
        """
        return self.request("DELETE", f"/v2/payout-links/{self.part(payout_link_id)}", app_id=app_id)

    def redeliver_payout_link(self, payout_link_id: str, body: models.RedeliverPayoutLinkRequest | None = None, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.PayoutLink:
        """Redeliver a payout link.

        A link is delivered at most five times, the first delivery included. The app setting delivery_limits also limits the deliveries per recipient and per app on one day (UTC).
        """
        return self.request("POST", f"/v2/payout-links/{self.part(payout_link_id)}/redeliver", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def submit_payout_request(self, body: models.SubmitPayoutRequestRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.PayoutRequest:
        """Submit a payout request.

        No money moves until the app approves the request, so a client id alone can submit one. A client id alone sees no user and no link, and has its own idempotency keys.
        """
        return self.request("POST", "/v2/payout-requests", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_payout_requests(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, status: models.RequestStatus | None = None, phone_number: str | None = None, email: str | None = None, user_id: str | None = None, app_id: str | None = None) -> models.PayoutRequestList:
        """List payout requests.

        Lists the app's payout requests, newest first.
        """
        return self.request("GET", "/v2/payout-requests", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "status": status, "phone_number": phone_number, "email": email, "user_id": user_id}, app_id=app_id)

    def iterate_payout_requests(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, status: models.RequestStatus | None = None, phone_number: str | None = None, email: str | None = None, user_id: str | None = None, app_id: str | None = None) -> Iterator[models.PayoutRequest]:
        """List payout requests: all of them, page by page."""
        return self.pages(lambda after: self.list_payout_requests(limit=limit, created_after=created_after, created_before=created_before, status=status, phone_number=phone_number, email=email, user_id=user_id, app_id=app_id, starting_after=after))

    def get_payout_request(self, payout_request_id: str, *, app_id: str | None = None) -> models.PayoutRequest:
        """Get a payout request.

        Returns one payout request with its current status.
        """
        return self.request("GET", f"/v2/payout-requests/{self.part(payout_request_id)}", app_id=app_id)

    def approve_payout_request(self, payout_request_id: str, body: models.ApprovePayoutRequestRequest | None = None, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.PayoutRequest:
        """Approve a payout request.

        Creates exactly one payout link and delivers it to the payee. If the wallet does not cover the amount, the request is refused and stays open. A repeated call changes nothing.
        """
        return self.request("POST", f"/v2/payout-requests/{self.part(payout_request_id)}/approve", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def reject_payout_request(self, payout_request_id: str, body: models.RejectPayoutRequestRequest | None = None, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.PayoutRequest:
        """Reject a payout request.

        The decision is final. A repeated call changes nothing.
        """
        return self.request("POST", f"/v2/payout-requests/{self.part(payout_request_id)}/reject", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def submit_payout_link_batch(self, body: models.SubmitPayoutLinkBatchRequest, *, dry_run: bool | None = None, columns: str | None = None, app_id: str | None = None, idempotency_key: str | None = None) -> models.EnqueuedOrPlanned:
        """Submit 1 to 500 payout links.

        Validates all rows together, then creates the links one by one, each with its row's idempotency key, like POST /v2/payout-links. Identical rows are the same batch: a repeated call enqueues it again while it is submitted, and returns 409 afterwards. With dry_run=true, nothing is created or stored. The body may be a CSV file in UTF-8 instead (Content-Type: text/csv): its first line names the fields, amount_cents takes whole cents, and a column amount takes dollars such as 1250.50.
        """
        return self.request("POST", "/v2/payout-link-batches", query={"dry_run": dry_run, "columns": columns}, body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_payout_link_batches(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, status: models.BatchStatus | None = None, app_id: str | None = None) -> models.PayoutLinkBatchList:
        """List payout link batches.

        Lists the app's batches, newest first, without their rows.
        """
        return self.request("GET", "/v2/payout-link-batches", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "status": status}, app_id=app_id)

    def iterate_payout_link_batches(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, status: models.BatchStatus | None = None, app_id: str | None = None) -> Iterator[models.PayoutLinkBatch]:
        """List payout link batches: all of them, page by page."""
        return self.pages(lambda after: self.list_payout_link_batches(limit=limit, created_after=created_after, created_before=created_before, status=status, app_id=app_id, starting_after=after))

    def get_payout_link_batch(self, payout_link_batch_id: str, *, app_id: str | None = None) -> models.PayoutLinkBatch:
        """Get a payout link batch.

        Returns the batch with its progress.
        """
        return self.request("GET", f"/v2/payout-link-batches/{self.part(payout_link_batch_id)}", app_id=app_id)

    def list_payout_link_batch_rows(self, payout_link_batch_id: str, *, limit: int | None = None, starting_after: int | None = None, ending_before: int | None = None, status: models.RowStatus | None = None, app_id: str | None = None) -> models.PayoutLinkBatchResultList:
        """List the rows of a payout link batch.

        Returns the rows in the order of the batch, each with its data and its result so far.
        """
        return self.request("GET", f"/v2/payout-link-batches/{self.part(payout_link_batch_id)}/rows", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "status": status}, app_id=app_id)

    def iterate_payout_link_batch_rows(self, payout_link_batch_id: str, *, limit: int | None = None, status: models.RowStatus | None = None, app_id: str | None = None) -> Iterator[models.PayoutLinkBatchResult]:
        """List the rows of a payout link batch: all of them, page by page."""
        return self.pages(lambda after: self.list_payout_link_batch_rows(payout_link_batch_id, limit=limit, status=status, app_id=app_id, starting_after=after))

    def get_payout_link_batch_results(self, payout_link_batch_id: str, *, app_id: str | None = None) -> bytes:
        """Get the results of a payout link batch as CSV.

        Returns the result of each row so far: the columns of the input, then status (succeeded, failed), payout_link_id, link, error_code and error_message, which are empty until the row is done. succeeded means that the link exists, not that it was delivered or paid. The file begins with a UTF-8 byte order mark; text that a spreadsheet would execute gets an apostrophe before it. Without the columns after the input, the file can be submitted again; a row that succeeded gives the same link.
        """
        return self.request("GET", f"/v2/payout-link-batches/{self.part(payout_link_batch_id)}/results", app_id=app_id)

    def get_payout_link_batch_results_csv(self, payout_link_batch_id: str, *, app_id: str | None = None) -> bytes:
        """Download the results of a payout link batch as CSV.

        Returns the same file as the path without .csv, for clients that name a download by its path.
        """
        return self.request("GET", f"/v2/payout-link-batches/{self.part(payout_link_batch_id)}/results.csv", app_id=app_id)

    def get_claim(self, token: str, *, claim_session: str | None = None) -> models.ClaimDocument:
        """Get a claim.

        The token of the link is the credential. This call changes nothing.
        """
        return self.request("GET", f"/v2/claims/{self.part(token)}", headers={"Claim-Session": claim_session})

    def give_claim_contact(self, token: str, body: models.GiveClaimContactRequest | None = None, *, claim_session: str | None = None, idempotency_key: str | None = None) -> models.ClaimDocument:
        """Send a verification code.

        Sends a six-digit code to the contact. If the link names its payee, only that contact is accepted.
        """
        return self.request("POST", f"/v2/claims/{self.part(token)}/contact", body=body, headers={"Claim-Session": claim_session}, idempotency_key=idempotency_key or self.new_key())

    def prove_claim_contact(self, token: str, body: models.ProveClaimContactRequest, *, claim_session: str | None = None, idempotency_key: str | None = None) -> models.ClaimDocument:
        """Verify the code.

        The response contains `session`; send it in the header Claim-Session of later calls. A replay with the same idempotency key does not return it again; request a new code instead.
        """
        return self.request("POST", f"/v2/claims/{self.part(token)}/code", body=body, headers={"Claim-Session": claim_session}, idempotency_key=idempotency_key or self.new_key())

    def fill_claim_profile(self, token: str, body: models.FillClaimProfileRequest, *, claim_session: str | None = None, idempotency_key: str | None = None) -> models.ClaimDocument:
        """Set the payee's name.

        Sets the payee's name, and the e-mail address if it is sent.
        """
        return self.request("POST", f"/v2/claims/{self.part(token)}/profile", body=body, headers={"Claim-Session": claim_session}, idempotency_key=idempotency_key or self.new_key())

    def give_claim_tax_form(self, token: str, body: models.GiveClaimTaxFormRequest | None = None, *, claim_session: str | None = None, idempotency_key: str | None = None) -> models.ClaimDocument:
        """Submit the tax form.

        Required when next_step is `compliance`. Send either w9 or w8ben.
        """
        return self.request("POST", f"/v2/claims/{self.part(token)}/compliance", body=body, headers={"Claim-Session": claim_session}, idempotency_key=idempotency_key or self.new_key())

    def choose_claim_method(self, token: str, body: models.ChooseClaimMethodRequest | None = None, *, claim_session: str | None = None, idempotency_key: str | None = None) -> models.ClaimDocument:
        """Choose the payout method.

        Send payout_method_id for a saved payout method, or platform with the fields that it requires. A later call replaces the choice.
        """
        return self.request("POST", f"/v2/claims/{self.part(token)}/method", body=body, headers={"Claim-Session": claim_session}, idempotency_key=idempotency_key or self.new_key())

    def pay_claim_out(self, token: str, body: models.PayClaimOutRequest | None = None, *, claim_session: str | None = None, idempotency_key: str | None = None) -> models.ClaimDocument:
        """Pay out the claim.

        Pays out the remaining amount or a part of it. The link is claimed once; the rest can be paid out later.
        """
        return self.request("POST", f"/v2/claims/{self.part(token)}/payout", body=body, headers={"Claim-Session": claim_session}, idempotency_key=idempotency_key or self.new_key())

    def end_claim_session(self, token: str, body: models.EndClaimSessionRequest | None = None, *, claim_session: str | None = None, idempotency_key: str | None = None) -> models.ClaimDocument:
        """End the claim session.

        Signs the payee out. A session also ends one hour after its last change, and when another code starts a newer session of the link. When the link is fully paid out, its session can only replace a failed payout method of this link, for 14 days. A repeated call changes nothing.
        """
        return self.request("POST", f"/v2/claims/{self.part(token)}/end", body=body, headers={"Claim-Session": claim_session}, idempotency_key=idempotency_key or self.new_key())

    def change_claim_contact(self, token: str, body: models.ChangeClaimContactRequest | None = None, *, claim_session: str | None = None, idempotency_key: str | None = None) -> models.ClaimDocument:
        """Change the payee's phone number or e-mail address.

        Sends one code to the current contact and one to the new contact. The current contact is the verified contact of the same kind, or else the other verified contact. The change takes effect when both codes are confirmed, within ten minutes. Requires a session of a known payee at a link that names its payee (`may_change_contact`). Both codes count toward the limits on codes.
        """
        return self.request("POST", f"/v2/claims/{self.part(token)}/contact-change", body=body, headers={"Claim-Session": claim_session}, idempotency_key=idempotency_key or self.new_key())

    def confirm_claim_contact(self, token: str, body: models.ConfirmClaimContactRequest, *, claim_session: str | None = None, idempotency_key: str | None = None) -> models.ClaimDocument:
        """Confirm the change with both codes.

        Counts wrong codes per contact; a correct code stays valid while the other is wrong. The previous contact receives a notice with a link that freezes automatic payouts. Refused if the new contact belongs to another user; this check runs only after both codes are correct.
        """
        return self.request("POST", f"/v2/claims/{self.part(token)}/contact-change/confirm", body=body, headers={"Claim-Session": claim_session}, idempotency_key=idempotency_key or self.new_key())

    def request_new_link(self, token: str, body: models.RequestNewLinkRequest | None = None, *, claim_session: str | None = None, idempotency_key: str | None = None) -> None:
        """Ask the sender for a new link.

        For an expired link: sets `new_link_requested_at` of the payout link, and its event informs the sender, who may send the money again. No message is sent and no money moves. A repeated call changes nothing.
        """
        return self.request("POST", f"/v2/claims/{self.part(token)}/new-link", body=body, headers={"Claim-Session": claim_session}, idempotency_key=idempotency_key or self.new_key())

    def create_transfer(self, body: models.CreateTransferRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Transfer:
        """Move money between the app and a user.

        A negative amount goes from the app to the user, a positive amount from the user to the app. A positive amount takes any money of the user's wallet with this app, also money of a claimed link that a bank returned. The user is not notified. The transfer completes immediately. Transfers to users count toward transfer_limits of the app's settings.
        """
        return self.request("POST", "/v2/transfers", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_transfers(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, user_id: str | None = None, type: models.TransferKind | None = None, status: models.TransferStatus | None = None, start_date: str | None = None, end_date: str | None = None, created_after: str | None = None, created_before: str | None = None, reverse_order: bool | None = None, app_id: str | None = None) -> models.TransferList:
        """List transfers.

        Lists transfers, newest first; oldest first with reverse_order=true.
        """
        return self.request("GET", "/v2/transfers", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "user_id": user_id, "type": type, "status": status, "start_date": start_date, "end_date": end_date, "created_after": created_after, "created_before": created_before, "reverse_order": reverse_order}, app_id=app_id)

    def iterate_transfers(self, *, limit: int | None = None, user_id: str | None = None, type: models.TransferKind | None = None, status: models.TransferStatus | None = None, start_date: str | None = None, end_date: str | None = None, created_after: str | None = None, created_before: str | None = None, reverse_order: bool | None = None, app_id: str | None = None) -> Iterator[models.Transfer]:
        """List transfers: all of them, page by page."""
        return self.pages(lambda after: self.list_transfers(limit=limit, user_id=user_id, type=type, status=status, start_date=start_date, end_date=end_date, created_after=created_after, created_before=created_before, reverse_order=reverse_order, app_id=app_id, starting_after=after))

    def get_transfer(self, transfer_id: str, *, app_id: str | None = None) -> models.Transfer:
        """Get a transfer.

        Returns one transfer with its status and, after a failure or a return, the reason.
        """
        return self.request("GET", f"/v2/transfers/{self.part(transfer_id)}", app_id=app_id)

    def deposit_to_app(self, app_id: str, body: models.DepositToAppRequest, *, idempotency_key: str | None = None) -> models.Transfer:
        """Deposit money from an app's bank account into its wallet.

        Debits the bank account. When the bank has paid, the money is in the wallet and the transfer is completed.
        """
        return self.request("POST", f"/v2/apps/{self.part(app_id)}/deposit", body=body, idempotency_key=idempotency_key or self.new_key())

    def withdraw_from_app(self, app_id: str, body: models.WithdrawFromAppRequest, *, idempotency_key: str | None = None) -> models.Transfer:
        """Withdraw money from an app's wallet to its bank account.

        Debits the wallet immediately; if the withdrawal fails, the money returns to the wallet. The transfer's amount is negative. Requires the organization's key if the app's settings limit outgoing money or require its approval.
        """
        return self.request("POST", f"/v2/apps/{self.part(app_id)}/withdraw", body=body, idempotency_key=idempotency_key or self.new_key())

    def get_app_ach_account(self, app_id: str) -> models.BankAccount:
        """Get an app's bank account.

        Returns the bank account with which the app deposits and withdraws, with a masked number.
        """
        return self.request("GET", f"/v2/apps/{self.part(app_id)}/ach-account")

    def set_app_ach_account(self, app_id: str, body: models.SetAppAchAccountRequest) -> models.BankAccount:
        """Set an app's bank account.

        Deposits debit this account and withdrawals credit it. It replaces the previous account; transfers in progress are not affected. Requires the organization's key in production, and if the app's settings limit payouts, bills, transfers or payments, or require their approval.
        """
        return self.request("PUT", f"/v2/apps/{self.part(app_id)}/ach-account", body=body)

    def create_organization_transfer(self, body: models.CreateOrganizationTransferRequest, *, idempotency_key: str | None = None) -> models.OrganizationTransfer:
        """Move money between the organization and an app.

        A negative amount goes from the organization to the app, a positive amount from the app to the organization. The transfer completes immediately. Money that was returned to a deleted app can be moved to the organization too.
        """
        return self.request("POST", "/v2/organization-transfers", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_organization_transfers(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, app_id: str | None = None) -> models.OrganizationTransferList:
        """List transfers between the organization and its apps.

        Lists the transfers between the organization's balance and the balances of its apps, newest first.
        """
        return self.request("GET", "/v2/organization-transfers", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "app_id": app_id})

    def iterate_organization_transfers(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, app_id: str | None = None) -> Iterator[models.OrganizationTransfer]:
        """List transfers between the organization and its apps: all of them, page by page."""
        return self.pages(lambda after: self.list_organization_transfers(limit=limit, created_after=created_after, created_before=created_before, app_id=app_id, starting_after=after))

    def create_payment_customer(self, body: models.CreatePaymentCustomerRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.PaymentCustomer:
        """Create a payment customer.

        Creates a person or company that pays the app and is not a user. Add a bank account, then collect payments from it.
        """
        return self.request("POST", "/v2/payment-customers", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_payment_customers(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, email: str | None = None, app_id: str | None = None) -> models.PaymentCustomerList:
        """List payment customers.

        Lists the customers that pay the app, newest first.
        """
        return self.request("GET", "/v2/payment-customers", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "email": email}, app_id=app_id)

    def iterate_payment_customers(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, email: str | None = None, app_id: str | None = None) -> Iterator[models.PaymentCustomer]:
        """List payment customers: all of them, page by page."""
        return self.pages(lambda after: self.list_payment_customers(limit=limit, created_after=created_after, created_before=created_before, email=email, app_id=app_id, starting_after=after))

    def get_payment_customer(self, customer_id: str, *, app_id: str | None = None) -> models.PaymentCustomer:
        """Get a payment customer.

        Returns one payment customer.
        """
        return self.request("GET", f"/v2/payment-customers/{self.part(customer_id)}", app_id=app_id)

    def update_payment_customer(self, customer_id: str, body: models.UpdatePaymentCustomerRequest | None = None, *, app_id: str | None = None) -> models.PaymentCustomer:
        """Update a payment customer.

        Changes only the fields that are sent. Null removes the e-mail address, the phone number or the metadata.
        """
        return self.request("PATCH", f"/v2/payment-customers/{self.part(customer_id)}", body=body, app_id=app_id)

    def delete_payment_customer(self, customer_id: str, *, app_id: str | None = None) -> models.PaymentCustomer:
        """Delete a payment customer.

        Erases the name, contact and bank accounts; payments remain. Refused while a payment is in progress.
        """
        return self.request("DELETE", f"/v2/payment-customers/{self.part(customer_id)}", app_id=app_id)

    def add_customer_bank_account(self, customer_id: str, body: models.AddCustomerBankAccountRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.BankAccount:
        """Add a bank account to a payment customer.

        Adding the same account again returns the existing account. The number is stored encrypted; responses show its last four digits.
        """
        return self.request("POST", f"/v2/payment-customers/{self.part(customer_id)}/bank-accounts", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_customer_bank_accounts(self, customer_id: str, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, app_id: str | None = None) -> models.BankAccountList:
        """List a payment customer's bank accounts.

        Lists the bank accounts from which the customer's payments are collected, newest first, with masked numbers.
        """
        return self.request("GET", f"/v2/payment-customers/{self.part(customer_id)}/bank-accounts", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before}, app_id=app_id)

    def iterate_customer_bank_accounts(self, customer_id: str, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, app_id: str | None = None) -> Iterator[models.BankAccount]:
        """List a payment customer's bank accounts: all of them, page by page."""
        return self.pages(lambda after: self.list_customer_bank_accounts(customer_id, limit=limit, created_after=created_after, created_before=created_before, app_id=app_id, starting_after=after))

    def remove_customer_bank_account(self, customer_id: str, account_id: str, *, app_id: str | None = None) -> models.BankAccount:
        """Remove a payment customer's bank account.

        Payments in progress are not affected. A repeated call changes nothing.
        """
        return self.request("DELETE", f"/v2/payment-customers/{self.part(customer_id)}/bank-accounts/{self.part(account_id)}", app_id=app_id)

    def create_payment(self, body: models.CreatePaymentRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Transfer:
        """Collect a payment from a user or a payment customer.

        Debits the payer's bank account. When the bank has paid, the app has the money and the transfer is completed. A bank can return the payment later; the app then owes the amount. bursar stores the payer's authorization with the payment and notifies the payer. The money cannot leave the app before debit.available_at.
        """
        return self.request("POST", "/v2/payments", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_payables(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, status: models.PayableStatus | None = None, ap_vendor_id: str | None = None, external_id: str | None = None, number: str | None = None, app_id: str | None = None) -> models.PayableList:
        """List payables.

        Lists the app's payables, newest first.
        """
        return self.request("GET", "/v2/accounts-payable/payables", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "status": status, "ap_vendor_id": ap_vendor_id, "external_id": external_id, "number": number}, app_id=app_id)

    def iterate_payables(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, status: models.PayableStatus | None = None, ap_vendor_id: str | None = None, external_id: str | None = None, number: str | None = None, app_id: str | None = None) -> Iterator[models.Payable]:
        """List payables: all of them, page by page."""
        return self.pages(lambda after: self.list_payables(limit=limit, created_after=created_after, created_before=created_before, status=status, ap_vendor_id=ap_vendor_id, external_id=external_id, number=number, app_id=app_id, starting_after=after))

    def create_payable(self, body: models.CreatePayableRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Payable:
        """Create a payable.

        Creates a vendor's bill. Requires a member with the role admin or ap_creator. The amount of each item is unit_price times quantity, and the amount of the payable is the sum of its items.
        """
        return self.request("POST", "/v2/accounts-payable/payables", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def get_payable(self, payable_id: str, *, app_id: str | None = None) -> models.Payable:
        """Get a payable.

        Returns one payable with its current status.
        """
        return self.request("GET", f"/v2/accounts-payable/payables/{self.part(payable_id)}", app_id=app_id)

    def update_payable(self, payable_id: str, body: models.UpdatePayableRequest, *, app_id: str | None = None) -> models.Payable:
        """Update a payable.

        Allowed while the payable is created or rejected; a rejected payable becomes created. Requires a member with the role admin or ap_creator.
        """
        return self.request("PATCH", f"/v2/accounts-payable/payables/{self.part(payable_id)}", body=body, app_id=app_id)

    def submit_payable(self, payable_id: str, body: models.SubmitPayableRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Payable:
        """Submit a payable for approval.

        Requires a member with the role admin or ap_creator. A submitted payable cannot be changed. bursar chooses the approval policy now and refuses a policy whose steps could never be completed.
        """
        return self.request("POST", f"/v2/accounts-payable/payables/{self.part(payable_id)}/submit-for-approval", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def cancel_payable(self, payable_id: str, body: models.CancelPayableRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Payable:
        """Cancel a payable.

        Allowed while the payable is created. Requires a member with the role admin or ap_creator.
        """
        return self.request("POST", f"/v2/accounts-payable/payables/{self.part(payable_id)}/cancel", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def get_payable_file(self, payable_id: str, *, app_id: str | None = None) -> bytes:
        """Get a payable's file.

        Returns the PDF as an attachment.
        """
        return self.request("GET", f"/v2/accounts-payable/payables/{self.part(payable_id)}/file", app_id=app_id)

    def set_payable_file(self, payable_id: str, body: models.SetPayableFileRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Payable:
        """Add or replace a payable's file.

        Takes a PDF of at most 700 KiB, in Base64. Allowed while the payable can be changed.
        """
        return self.request("POST", f"/v2/accounts-payable/payables/{self.part(payable_id)}/file", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def delete_payable_file(self, payable_id: str, body: models.DeletePayableFileRequest | None = None, *, app_id: str | None = None) -> models.Payable:
        """Remove a payable's file.

        Allowed while the payable can be changed. Changes nothing if the payable has no file.
        """
        return self.request("DELETE", f"/v2/accounts-payable/payables/{self.part(payable_id)}/file", body=body, app_id=app_id)

    def approve_payable(self, payable_id: str, body: models.ApprovePayableRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Payable:
        """Approve a payable.

        Requires a member with the role admin or ap_approver who is named in the current step. Each member approves once per step. The submitter can never approve, administrators included.
        """
        return self.request("POST", f"/v2/accounts-payable/payables/{self.part(payable_id)}/approve", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def reject_payable(self, payable_id: str, body: models.RejectPayableRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Payable:
        """Reject a payable.

        Allowed while the payable waits for approval or after its payment failed. Requires a member with the role admin or ap_approver. A rejected payable can be changed, which makes it created again.
        """
        return self.request("POST", f"/v2/accounts-payable/payables/{self.part(payable_id)}/reject", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def pay_payable(self, payable_id: str, body: models.PayPayableRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Payable:
        """Pay a payable.

        Allowed when the payable is approved, or again after its payment failed. Requires a member with the role admin or payer. Pays the approved amount to the approved account by ach, without fees, at most once regardless of idempotency keys. The amount counts toward payable_limits of the app's settings; above payable_approval_limit the call requires the organization's key.
        """
        return self.request("POST", f"/v2/accounts-payable/payables/{self.part(payable_id)}/pay", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_vendors(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, status: models.VendorStatus | None = None, external_id: str | None = None, app_id: str | None = None) -> models.VendorList:
        """List vendors.

        Lists the app's vendors, newest first.
        """
        return self.request("GET", "/v2/accounts-payable/vendors", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "status": status, "external_id": external_id}, app_id=app_id)

    def iterate_vendors(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, status: models.VendorStatus | None = None, external_id: str | None = None, app_id: str | None = None) -> Iterator[models.Vendor]:
        """List vendors: all of them, page by page."""
        return self.pages(lambda after: self.list_vendors(limit=limit, created_after=created_after, created_before=created_before, status=status, external_id=external_id, app_id=app_id, starting_after=after))

    def create_vendor(self, body: models.CreateVendorRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.Vendor:
        """Add a vendor.

        Adds a company or person whose payables the app pays. A payable is paid by one of the vendor's payment methods.
        """
        return self.request("POST", "/v2/accounts-payable/vendors", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def get_vendor(self, vendor_id: str, *, app_id: str | None = None) -> models.Vendor:
        """Get a vendor.

        Returns one vendor.
        """
        return self.request("GET", f"/v2/accounts-payable/vendors/{self.part(vendor_id)}", app_id=app_id)

    def delete_vendor(self, vendor_id: str, body: models.DeleteVendorRequest | None = None, *, app_id: str | None = None) -> models.Vendor:
        """Delete a vendor.

        Refused while an open payable (neither paid nor canceled) names the vendor. Histories still name it. A repeated call changes nothing.
        """
        return self.request("DELETE", f"/v2/accounts-payable/vendors/{self.part(vendor_id)}", body=body, app_id=app_id)

    def list_vendor_payment_methods(self, vendor_id: str, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, status: models.MethodStatus | None = None, app_id: str | None = None) -> models.VendorPaymentMethodList:
        """List a vendor's payment methods.

        Lists the accounts to which the vendor is paid, newest first, with masked numbers.
        """
        return self.request("GET", f"/v2/accounts-payable/vendors/{self.part(vendor_id)}/payment-methods", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "status": status}, app_id=app_id)

    def iterate_vendor_payment_methods(self, vendor_id: str, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, status: models.MethodStatus | None = None, app_id: str | None = None) -> Iterator[models.VendorPaymentMethod]:
        """List a vendor's payment methods: all of them, page by page."""
        return self.pages(lambda after: self.list_vendor_payment_methods(vendor_id, limit=limit, created_after=created_after, created_before=created_before, status=status, app_id=app_id, starting_after=after))

    def create_vendor_payment_method(self, vendor_id: str, body: models.CreateVendorPaymentMethodRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.VendorPaymentMethod:
        """Add a vendor's payment method.

        The first payment method of a new vendor is usable immediately; above the app's payable_approval_limit it is usable after 24 hours. A second member must confirm each later payment method, which is usable 24 hours after that.
        """
        return self.request("POST", f"/v2/accounts-payable/vendors/{self.part(vendor_id)}/payment-methods", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def get_vendor_payment_method(self, vendor_id: str, payment_method_id: str, *, app_id: str | None = None) -> models.VendorPaymentMethod:
        """Get a vendor's payment method.

        Returns one payment method of a vendor, with a masked number.
        """
        return self.request("GET", f"/v2/accounts-payable/vendors/{self.part(vendor_id)}/payment-methods/{self.part(payment_method_id)}", app_id=app_id)

    def delete_vendor_payment_method(self, vendor_id: str, payment_method_id: str, body: models.DeleteVendorPaymentMethodRequest | None = None, *, app_id: str | None = None) -> models.VendorPaymentMethod:
        """Delete a vendor's payment method.

        Refused while an open payable (neither paid nor canceled) names the payment method. A repeated call changes nothing.
        """
        return self.request("DELETE", f"/v2/accounts-payable/vendors/{self.part(vendor_id)}/payment-methods/{self.part(payment_method_id)}", body=body, app_id=app_id)

    def confirm_vendor_payment_method(self, vendor_id: str, payment_method_id: str, body: models.ConfirmVendorPaymentMethodRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.VendorPaymentMethod:
        """Confirm a vendor's payment method.

        Requires a second member: not a viewer, and not the member who added it. The member uses their own session or, unless the app requires member_proof, the organization's key with Api-App-Id. The payment method is usable 24 hours later.
        """
        return self.request("POST", f"/v2/accounts-payable/vendors/{self.part(vendor_id)}/payment-methods/{self.part(payment_method_id)}/confirm", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_approval_policies(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, active: bool | None = None, app_id: str | None = None) -> models.ApprovalPolicyList:
        """List approval policies.

        Lists the policies that decide who approves a payable, newest first.
        """
        return self.request("GET", "/v2/accounts-payable/approval-policies", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "active": active}, app_id=app_id)

    def iterate_approval_policies(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, active: bool | None = None, app_id: str | None = None) -> Iterator[models.ApprovalPolicy]:
        """List approval policies: all of them, page by page."""
        return self.pages(lambda after: self.list_approval_policies(limit=limit, created_after=created_after, created_before=created_before, active=active, app_id=app_id, starting_after=after))

    def create_approval_policy(self, body: models.CreateApprovalPolicyRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.ApprovalPolicy:
        """Create an approval policy.

        When a payable is submitted, bursar copies the steps of one active policy into it: the policy with the lowest priority number whose conditions are all met. Without such a policy, one approver other than the submitter is enough.
        """
        return self.request("POST", "/v2/accounts-payable/approval-policies", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def get_approval_policy(self, approval_policy_id: str, *, app_id: str | None = None) -> models.ApprovalPolicy:
        """Get an approval policy.

        Returns one approval policy with its steps.
        """
        return self.request("GET", f"/v2/accounts-payable/approval-policies/{self.part(approval_policy_id)}", app_id=app_id)

    def update_approval_policy(self, approval_policy_id: str, body: models.UpdateApprovalPolicyRequest | None = None, *, app_id: str | None = None) -> models.ApprovalPolicy:
        """Update an approval policy.

        Payables that are already submitted keep their steps.
        """
        return self.request("PATCH", f"/v2/accounts-payable/approval-policies/{self.part(approval_policy_id)}", body=body, app_id=app_id)

    def delete_approval_policy(self, approval_policy_id: str, body: models.DeleteApprovalPolicyRequest | None = None, *, app_id: str | None = None) -> models.ApprovalPolicy:
        """Delete an approval policy.

        Payables that are already submitted keep its steps. A repeated call changes nothing.
        """
        return self.request("DELETE", f"/v2/accounts-payable/approval-policies/{self.part(approval_policy_id)}", body=body, app_id=app_id)

    def list_approvers(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, app_id: str | None = None) -> models.ApproverList:
        """List the members who may approve.

        Lists active members with the role admin or ap_approver, newest first.
        """
        return self.request("GET", "/v2/accounts-payable/approvers", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before}, app_id=app_id)

    def iterate_approvers(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, app_id: str | None = None) -> Iterator[models.Approver]:
        """List the members who may approve: all of them, page by page."""
        return self.pages(lambda after: self.list_approvers(limit=limit, created_after=created_after, created_before=created_before, app_id=app_id, starting_after=after))

    def create_bank_connection(self, body: models.CreateBankConnectionRequest, *, idempotency_key: str | None = None) -> models.BankConnection:
        """Create a connection to a bank.

        The bank's guide has the values. The connection is a draft until the bank has accepted a test file and another member has approved it. In production each change of the bank set-up requires the member's own session.
        """
        return self.request("POST", "/v2/bank/connections", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_bank_connections(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, status: models.ConnectionStatus | None = None) -> models.BankConnectionList:
        """List the connections to banks.

        Lists the connections to banks, newest first, with their settings and states.
        """
        return self.request("GET", "/v2/bank/connections", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "status": status})

    def iterate_bank_connections(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, status: models.ConnectionStatus | None = None) -> Iterator[models.BankConnection]:
        """List the connections to banks: all of them, page by page."""
        return self.pages(lambda after: self.list_bank_connections(limit=limit, created_after=created_after, created_before=created_before, status=status, starting_after=after))

    def get_bank_connection(self, bank_connection_id: str) -> models.BankConnection:
        """Get a connection to a bank.

        Returns a connection with its settings, and who made, tested and approved it.
        """
        return self.request("GET", f"/v2/bank/connections/{self.part(bank_connection_id)}")

    def update_bank_connection(self, bank_connection_id: str, body: models.UpdateBankConnectionRequest) -> models.BankConnection:
        """Update a connection to a bank.

        A change makes the connection a draft again: the bank tests it, and another member approves it.
        """
        return self.request("PATCH", f"/v2/bank/connections/{self.part(bank_connection_id)}", body=body)

    def get_bank_calendar(self, *, bank_connection_id: str, from_: str, to: str) -> models.BankCalendar:
        """Get the banking days and windows of a connection.

        Lists the banking days of a range with the cut-offs of the connection, and the effective dates and settlement times of files that are cut then.
        """
        return self.request("GET", "/v2/bank/calendar", query={"bank_connection_id": bank_connection_id, "from": from_, "to": to})

    def download_bank_test_file(self, bank_connection_id: str, *, originator_id: str, settlement_account_id: str) -> bytes:
        """Download a test file for the bank.

        A NACHA file has one prenote to the settlement account and moves no money. A pain.001 message has no prenote: it moves one cent from the settlement account to itself, if the bank executes it. The file contains the account number; each download is in the security log.
        """
        return self.request("GET", f"/v2/bank/connections/{self.part(bank_connection_id)}/test-file", query={"originator_id": originator_id, "settlement_account_id": settlement_account_id})

    def test_bank_connection(self, bank_connection_id: str, body: models.TestBankConnectionRequest, *, idempotency_key: str | None = None) -> models.BankConnection:
        """Record that the bank has accepted a test file.

        Records that the bank has accepted a test file. Another member approves the connection afterwards.
        """
        return self.request("POST", f"/v2/bank/connections/{self.part(bank_connection_id)}/test", body=body, idempotency_key=idempotency_key or self.new_key())

    def approve_bank_connection(self, bank_connection_id: str, body: models.ApproveBankConnectionRequest, *, idempotency_key: str | None = None) -> models.BankConnection:
        """Approve a connection to a bank.

        Requires another member than the one who created or changed it: an admin or a payer.
        """
        return self.request("POST", f"/v2/bank/connections/{self.part(bank_connection_id)}/approve", body=body, idempotency_key=idempotency_key or self.new_key())

    def pause_bank_connection(self, bank_connection_id: str, body: models.PauseBankConnectionRequest, *, idempotency_key: str | None = None) -> models.BankConnection:
        """Stop a connection to a bank.

        No file is sent until an admin resumes the connection. A repeated call changes nothing.
        """
        return self.request("POST", f"/v2/bank/connections/{self.part(bank_connection_id)}/pause", body=body, idempotency_key=idempotency_key or self.new_key())

    def resume_bank_connection(self, bank_connection_id: str, body: models.ResumeBankConnectionRequest, *, idempotency_key: str | None = None) -> models.BankConnection:
        """Resume a connection to a bank.

        Sends files again over a paused connection. A connection in use stays as it is.
        """
        return self.request("POST", f"/v2/bank/connections/{self.part(bank_connection_id)}/resume", body=body, idempotency_key=idempotency_key or self.new_key())

    def pause_bank_connections(self, body: models.PauseBankConnectionsRequest, *, idempotency_key: str | None = None) -> models.PausedConnections:
        """Stop all connections to banks.

        Stops every approved connection of the organization, and returns those that it stopped.
        """
        return self.request("POST", "/v2/bank/pause", body=body, idempotency_key=idempotency_key or self.new_key())

    def add_originator(self, body: models.AddOriginatorRequest, *, idempotency_key: str | None = None) -> models.Originator:
        """Add an originator to a connection.

        An originator never changes. To change one, add another, approve it, and route to it.
        """
        return self.request("POST", "/v2/bank/originators", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_originators(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, bank_connection_id: str | None = None, status: models.SetupStatus | None = None) -> models.OriginatorList:
        """List originators.

        Lists the names under which files are sent, newest first.
        """
        return self.request("GET", "/v2/bank/originators", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "bank_connection_id": bank_connection_id, "status": status})

    def iterate_originators(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, bank_connection_id: str | None = None, status: models.SetupStatus | None = None) -> Iterator[models.Originator]:
        """List originators: all of them, page by page."""
        return self.pages(lambda after: self.list_originators(limit=limit, created_after=created_after, created_before=created_before, bank_connection_id=bank_connection_id, status=status, starting_after=after))

    def approve_originator(self, originator_id: str, body: models.ApproveOriginatorRequest, *, idempotency_key: str | None = None) -> models.Originator:
        """Approve an originator.

        Requires another member than the one who added it: an admin or a payer.
        """
        return self.request("POST", f"/v2/bank/originators/{self.part(originator_id)}/approve", body=body, idempotency_key=idempotency_key or self.new_key())

    def end_originator(self, originator_id: str, body: models.EndOriginatorRequest, *, idempotency_key: str | None = None) -> models.Originator:
        """Take an originator out of use.

        A repeated call changes nothing.
        """
        return self.request("POST", f"/v2/bank/originators/{self.part(originator_id)}/end", body=body, idempotency_key=idempotency_key or self.new_key())

    def add_settlement_account(self, body: models.AddSettlementAccountRequest, *, idempotency_key: str | None = None) -> models.SettlementAccount:
        """Add a settlement account to a connection.

        An account never changes. To change one, add another, approve it, and route to it.
        """
        return self.request("POST", "/v2/bank/settlement-accounts", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_settlement_accounts(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, bank_connection_id: str | None = None, status: models.SetupStatus | None = None) -> models.SettlementAccountList:
        """List settlement accounts.

        Lists the accounts at banks that files debit and credit, newest first.
        """
        return self.request("GET", "/v2/bank/settlement-accounts", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "bank_connection_id": bank_connection_id, "status": status})

    def iterate_settlement_accounts(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, bank_connection_id: str | None = None, status: models.SetupStatus | None = None) -> Iterator[models.SettlementAccount]:
        """List settlement accounts: all of them, page by page."""
        return self.pages(lambda after: self.list_settlement_accounts(limit=limit, created_after=created_after, created_before=created_before, bank_connection_id=bank_connection_id, status=status, starting_after=after))

    def approve_settlement_account(self, settlement_account_id: str, body: models.ApproveSettlementAccountRequest, *, idempotency_key: str | None = None) -> models.SettlementAccount:
        """Approve a settlement account.

        Requires another member than the one who added it: an admin or a payer.
        """
        return self.request("POST", f"/v2/bank/settlement-accounts/{self.part(settlement_account_id)}/approve", body=body, idempotency_key=idempotency_key or self.new_key())

    def add_rail_provider(self, body: models.AddRailProviderRequest, *, idempotency_key: str | None = None) -> models.RailProvider:
        """Add a provider of rails behind HTTP.

        A provider is an adapter of your own, or PayPal Payouts. Its address never changes: add another provider, approve it, and route to it.
        """
        return self.request("POST", "/v2/bank/providers", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_rail_providers(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, kind: models.ProviderKind | None = None, status: models.SetupStatus | None = None) -> models.RailProviderList:
        """List the providers of rails behind HTTP.

        Lists the providers behind HTTP, newest first. Secrets are never shown.
        """
        return self.request("GET", "/v2/bank/providers", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "kind": kind, "status": status})

    def iterate_rail_providers(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, kind: models.ProviderKind | None = None, status: models.SetupStatus | None = None) -> Iterator[models.RailProvider]:
        """List the providers of rails behind HTTP: all of them, page by page."""
        return self.pages(lambda after: self.list_rail_providers(limit=limit, created_after=created_after, created_before=created_before, kind=kind, status=status, starting_after=after))

    def approve_rail_provider(self, rail_provider_id: str, body: models.ApproveRailProviderRequest, *, idempotency_key: str | None = None) -> models.RailProvider:
        """Approve a provider.

        Requires another member than the one who added it or gave its newest secret: an admin or a payer.
        """
        return self.request("POST", f"/v2/bank/providers/{self.part(rail_provider_id)}/approve", body=body, idempotency_key=idempotency_key or self.new_key())

    def rotate_rail_provider_secret(self, rail_provider_id: str, body: models.RotateRailProviderSecretRequest, *, idempotency_key: str | None = None) -> models.RailProvider:
        """Replace the credential of a provider.

        The approval ends. Until another member approves the provider again, it is not called: payments wait, and none is lost.
        """
        return self.request("POST", f"/v2/bank/providers/{self.part(rail_provider_id)}/rotate-secret", body=body, idempotency_key=idempotency_key or self.new_key())

    def end_rail_provider(self, rail_provider_id: str, body: models.EndRailProviderRequest, *, idempotency_key: str | None = None) -> models.RailProvider:
        """Take a provider out of use.

        Refused while a route that is in force or will be names it. Payments that it has are followed to their end. A repeated call changes nothing.
        """
        return self.request("POST", f"/v2/bank/providers/{self.part(rail_provider_id)}/end", body=body, idempotency_key=idempotency_key or self.new_key())

    def add_rail_route(self, body: models.AddRailRouteRequest, *, idempotency_key: str | None = None) -> models.RailRoute:
        """Route a rail to a bank or a provider from a day on.

        A route is never edited: a later one replaces it from its first day on. A route to a bank carries payouts by ach in files; a route to a provider carries payouts of its rail over HTTP. In the sandbox, a rail without a route is simulated; in production it is refused with rail-not-connected.
        """
        return self.request("POST", "/v2/bank/routes", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_rail_routes(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, platform: str | None = None, status: models.SetupStatus | None = None, in_force_on: str | None = None) -> models.RailRouteList:
        """List the routes of rails.

        Lists which bank or provider carries a rail, and from which day on, newest first.
        """
        return self.request("GET", "/v2/bank/routes", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "platform": platform, "status": status, "in_force_on": in_force_on})

    def iterate_rail_routes(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, platform: str | None = None, status: models.SetupStatus | None = None, in_force_on: str | None = None) -> Iterator[models.RailRoute]:
        """List the routes of rails: all of them, page by page."""
        return self.pages(lambda after: self.list_rail_routes(limit=limit, created_after=created_after, created_before=created_before, platform=platform, status=status, in_force_on=in_force_on, starting_after=after))

    def approve_rail_route(self, rail_route_id: str, body: models.ApproveRailRouteRequest, *, idempotency_key: str | None = None) -> models.RailRoute:
        """Approve a route.

        Requires another member than the one who added it: an admin or a payer. The connection, the originator and the settlement account, or the provider, must be approved, and the first day must be after today.
        """
        return self.request("POST", f"/v2/bank/routes/{self.part(rail_route_id)}/approve", body=body, idempotency_key=idempotency_key or self.new_key())

    def end_rail_route(self, rail_route_id: str, body: models.EndRailRouteRequest, *, idempotency_key: str | None = None) -> models.RailRoute:
        """End a route.

        No route of the rail is in force then, also no earlier one. A repeated call changes nothing.
        """
        return self.request("POST", f"/v2/bank/routes/{self.part(rail_route_id)}/end", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_rail_payments(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, status: models.PaymentStatus | None = None, rail_provider_id: str | None = None) -> models.RailPaymentList:
        """List payments at providers behind HTTP.

        A payment whose status is attempted may be at the provider or not: it is looked up, and handed over again under the same id only if the provider never received it.
        """
        return self.request("GET", "/v2/bank/provider-payments", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "status": status, "rail_provider_id": rail_provider_id})

    def decide_rail_payment(self, transfer_id: str, body: models.DecideRailPaymentRequest, *, idempotency_key: str | None = None) -> models.RailPayment:
        """Decide what became of a payment in doubt.

        For a payment that is attempted, with a doubt that no look-up ends. Ask the provider first: a payment that is decided as failed and was made is paid again. The decision takes effect when another member has sent the same outcome; another outcome replaces the proposal.
        """
        return self.request("POST", f"/v2/bank/provider-payments/{self.part(transfer_id)}/decide", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_bank_files(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, bank_connection_id: str | None = None, status: models.FileStatus | None = None) -> models.BankFileList:
        """List files with payments.

        Lists the files with payments, newest first.
        """
        return self.request("GET", "/v2/bank/files", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "bank_connection_id": bank_connection_id, "status": status})

    def iterate_bank_files(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, bank_connection_id: str | None = None, status: models.FileStatus | None = None) -> Iterator[models.BankFile]:
        """List files with payments: all of them, page by page."""
        return self.pages(lambda after: self.list_bank_files(limit=limit, created_after=created_after, created_before=created_before, bank_connection_id=bank_connection_id, status=status, starting_after=after))

    def get_bank_file(self, bank_file_id: str) -> models.BankFile:
        """Get a file with payments.

        Returns a file with its state, its totals, and what the bank says about it.
        """
        return self.request("GET", f"/v2/bank/files/{self.part(bank_file_id)}")

    def download_bank_file(self, bank_file_id: str) -> None:
        """Download a file with payments.

        The bytes are those that the server sends; their hash is sha256 of the file. They contain account numbers; each download is in the security log. If the connection sends files itself, pause it first.
        """
        return self.request("GET", f"/v2/bank/files/{self.part(bank_file_id)}/content")

    def list_return_rates(self) -> list[Any]:
        """List the return rates of debits.

        The share of the debits of each originator that came back in the last 60 days, with the limits of the ACH rules: 0.5 % not authorized, 3 % administrative, 15 % of all.
        """
        return self.request("GET", "/v2/bank/return-rates")

    def list_bank_entries(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, bank_file_id: str | None = None) -> models.BankEntryList:
        """List payments in files.

        Lists the payments, reversals and prenotes in files, newest first.
        """
        return self.request("GET", "/v2/bank/entries", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "bank_file_id": bank_file_id})

    def iterate_bank_entries(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, bank_file_id: str | None = None) -> Iterator[models.BankEntry]:
        """List payments in files: all of them, page by page."""
        return self.pages(lambda after: self.list_bank_entries(limit=limit, created_after=created_after, created_before=created_before, bank_file_id=bank_file_id, starting_after=after))

    def release_bank_file(self, bank_file_id: str, body: models.ReleaseBankFileRequest, *, idempotency_key: str | None = None) -> models.BankFile:
        """Release a file above a limit.

        Requires another member than the one who set the limits. A repeated call changes nothing.
        """
        return self.request("POST", f"/v2/bank/files/{self.part(bank_file_id)}/release", body=body, idempotency_key=idempotency_key or self.new_key())

    def mark_bank_file_sent(self, bank_file_id: str, body: models.MarkBankFileSentRequest, *, idempotency_key: str | None = None) -> models.BankFile:
        """Record that the bank has a file.

        For a file that a member took to the bank, or that is in doubt.
        """
        return self.request("POST", f"/v2/bank/files/{self.part(bank_file_id)}/mark-sent", body=body, idempotency_key=idempotency_key or self.new_key())

    def mark_bank_file_unsent(self, bank_file_id: str, body: models.MarkBankFileUnsentRequest, *, idempotency_key: str | None = None) -> models.BankFile:
        """Record that the bank does not have a file in doubt.

        The same as the outcome not_received of decide: the first call proposes it, and the call of another member confirms it. The server removes its temporary files and sends the same bytes again under the same name.
        """
        return self.request("POST", f"/v2/bank/files/{self.part(bank_file_id)}/mark-unsent", body=body, idempotency_key=idempotency_key or self.new_key())

    def decide_bank_file(self, bank_file_id: str, body: models.DecideBankFileRequest, *, idempotency_key: str | None = None) -> models.BankFile:
        """Record what the bank says about a file.

        For a file in doubt, a contested one, or an answer that came by phone or in a portal. The first call proposes an outcome, and the call of another member with the same outcome confirms it. accepted: its payments may be presumed settled. rejected: they do not reach their payees; the file waits for redate or cancel, or all payments go back if some were presumed settled. not_received: the server sends the file in doubt again.
        """
        return self.request("POST", f"/v2/bank/files/{self.part(bank_file_id)}/decide", body=body, idempotency_key=idempotency_key or self.new_key())

    def redate_bank_file(self, bank_file_id: str, body: models.RedateBankFileRequest, *, idempotency_key: str | None = None) -> models.BankFile:
        """Move a file into the next window.

        For a file that missed the bank's deadline and is not at the bank. It gets another name.
        """
        return self.request("POST", f"/v2/bank/files/{self.part(bank_file_id)}/redate", body=body, idempotency_key=idempotency_key or self.new_key())

    def cancel_bank_file(self, bank_file_id: str, body: models.CancelBankFileRequest, *, idempotency_key: str | None = None) -> models.BankFile:
        """Cancel a file.

        For a file that is not at the bank. Its payouts fail, and their money goes back.
        """
        return self.request("POST", f"/v2/bank/files/{self.part(bank_file_id)}/cancel", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_bank_alarms(self) -> list[Any]:
        """List what a person must look at.

        Files that are not at the bank ten minutes before its deadline, in doubt, refused or not acknowledged in time; files and returns that the bank has not booked after two banking days; statements that do not arrive or are not applied; lines that are not explained; accounts that do not cover the next files; limits that are used by 80 %. An alarm ends with its cause.
        """
        return self.request("GET", "/v2/bank/alarms")

    def propose_bank_reversal(self, bank_file_id: str, body: models.ProposeBankReversalRequest, *, idempotency_key: str | None = None) -> models.BankReversal:
        """Propose to reverse an entry or a file.

        For entries that are at the bank. The reversal debits what was paid, or pays back what was collected; another member approves it. It reaches the bank within five banking days after the settlement.
        """
        return self.request("POST", f"/v2/bank/files/{self.part(bank_file_id)}/reverse", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_bank_reversals(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, bank_file_id: str | None = None, status: models.ReversalStatus | None = None) -> models.BankReversalList:
        """List reversals.

        Lists the orders to take payments back at the bank, newest first.
        """
        return self.request("GET", "/v2/bank/reversals", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "bank_file_id": bank_file_id, "status": status})

    def iterate_bank_reversals(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, bank_file_id: str | None = None, status: models.ReversalStatus | None = None) -> Iterator[models.BankReversal]:
        """List reversals: all of them, page by page."""
        return self.pages(lambda after: self.list_bank_reversals(limit=limit, created_after=created_after, created_before=created_before, bank_file_id=bank_file_id, status=status, starting_after=after))

    def get_bank_reversal(self, bank_reversal_id: str) -> models.BankReversal:
        """Get a reversal.

        Returns a reversal with its counts of settled and returned entries.
        """
        return self.request("GET", f"/v2/bank/reversals/{self.part(bank_reversal_id)}")

    def approve_bank_reversal(self, bank_reversal_id: str, body: models.ApproveBankReversalRequest, *, idempotency_key: str | None = None) -> models.BankReversal:
        """Approve a reversal.

        Requires another member than the one who proposed it, the version that the member saw, and an error that was found at most 24 hours ago. The entries join the next file of reversals.
        """
        return self.request("POST", f"/v2/bank/reversals/{self.part(bank_reversal_id)}/approve", body=body, idempotency_key=idempotency_key or self.new_key())

    def dismiss_bank_reversal(self, bank_reversal_id: str, body: models.DismissBankReversalRequest, *, idempotency_key: str | None = None) -> models.BankReversal:
        """Dismiss a proposed reversal.

        Ends a proposed reversal. Nothing is taken back.
        """
        return self.request("POST", f"/v2/bank/reversals/{self.part(bank_reversal_id)}/dismiss", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_inbound_files(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, bank_connection_id: str | None = None, status: models.InboundStatus | None = None) -> models.InboundFileList:
        """List files that banks sent.

        Lists the files that banks sent, newest first, with their findings if they are not applied.
        """
        return self.request("GET", "/v2/bank/inbound-files", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "bank_connection_id": bank_connection_id, "status": status})

    def iterate_inbound_files(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, bank_connection_id: str | None = None, status: models.InboundStatus | None = None) -> Iterator[models.InboundFile]:
        """List files that banks sent: all of them, page by page."""
        return self.pages(lambda after: self.list_inbound_files(limit=limit, created_after=created_after, created_before=created_before, bank_connection_id=bank_connection_id, status=status, starting_after=after))

    def upload_inbound_file(self, body: models.UploadInboundFileRequest, *, idempotency_key: str | None = None) -> models.InboundFile:
        """Upload a file of a bank.

        For a bank whose files a member downloads from a portal, or whose server is down. Another member lets it be read (replay); then it is like a file in the inbound folder: the same bytes are applied once.
        """
        return self.request("POST", "/v2/bank/inbound-files", body=body, idempotency_key=idempotency_key or self.new_key())

    def get_inbound_file(self, inbound_file_id: str) -> models.InboundFile:
        """Get a file that a bank sent.

        A file that cannot be read is in quarantine: nothing of it is applied, and findings says why.
        """
        return self.request("GET", f"/v2/bank/inbound-files/{self.part(inbound_file_id)}")

    def list_bank_items(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, inbound_file_id: str | None = None, status: models.ItemStatus | None = None, kind: models.ItemKind | None = None, settlement_account_id: str | None = None) -> models.BankItemList:
        """List reports of banks.

        Returns, changes and rejections in the files that banks sent, and lines of statements. Clarify those with the status unmatched with the bank.
        """
        return self.request("GET", "/v2/bank/items", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "inbound_file_id": inbound_file_id, "status": status, "kind": kind, "settlement_account_id": settlement_account_id})

    def iterate_bank_items(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, inbound_file_id: str | None = None, status: models.ItemStatus | None = None, kind: models.ItemKind | None = None, settlement_account_id: str | None = None) -> Iterator[models.BankItem]:
        """List reports of banks: all of them, page by page."""
        return self.pages(lambda after: self.list_bank_items(limit=limit, created_after=created_after, created_before=created_before, inbound_file_id=inbound_file_id, status=status, kind=kind, settlement_account_id=settlement_account_id, starting_after=after))

    def replay_inbound_file(self, inbound_file_id: str, body: models.ReplayInboundFileRequest, *, idempotency_key: str | None = None) -> models.InboundFile:
        """Read an uploaded file, or one in quarantine again.

        For a file that another member uploaded, or one in quarantine that can be read now. It is applied whole, or quarantined again. Of an uploaded file, sha256 shows that the member has the same file from the bank.
        """
        return self.request("POST", f"/v2/bank/inbound-files/{self.part(inbound_file_id)}/replay", body=body, idempotency_key=idempotency_key or self.new_key())

    def discard_inbound_file(self, inbound_file_id: str, body: models.DiscardInboundFileRequest, *, idempotency_key: str | None = None) -> models.InboundFile:
        """Discard an uploaded file, or one in quarantine.

        For a file that the bank replaced. Nothing of it is ever applied; it stays stored.
        """
        return self.request("POST", f"/v2/bank/inbound-files/{self.part(inbound_file_id)}/discard", body=body, idempotency_key=idempotency_key or self.new_key())

    def match_bank_item(self, bank_item_id: str, body: models.MatchBankItemRequest, *, idempotency_key: str | None = None) -> models.BankItem:
        """Match a return with its payment.

        For a return that matched nothing. Another member approves it, which books the return.
        """
        return self.request("POST", f"/v2/bank/items/{self.part(bank_item_id)}/match", body=body, idempotency_key=idempotency_key or self.new_key())

    def approve_bank_item(self, bank_item_id: str, body: models.ApproveBankItemRequest, *, idempotency_key: str | None = None) -> models.BankItem:
        """Approve what a member matched or assigned.

        Requires another member than the one who matched or assigned it, and the version of the item that the member saw. The payment of a return fails, or its money goes back; a line is booked as its proposal says.
        """
        return self.request("POST", f"/v2/bank/items/{self.part(bank_item_id)}/approve", body=body, idempotency_key=idempotency_key or self.new_key())

    def ignore_bank_item(self, bank_item_id: str, body: models.IgnoreBankItemRequest, *, idempotency_key: str | None = None) -> models.BankItem:
        """Ignore a report.

        For a report that was clarified with the bank and moves no money here.
        """
        return self.request("POST", f"/v2/bank/items/{self.part(bank_item_id)}/ignore", body=body, idempotency_key=idempotency_key or self.new_key())

    def assign_bank_item(self, bank_item_id: str, body: models.AssignBankItemRequest, *, idempotency_key: str | None = None) -> models.BankItem:
        """Say what a line of a statement is.

        For a line in suspense. Another member approves it, which books the money. What is named adds up to the line; of the money before the first statement, the rest stays in suspense.
        """
        return self.request("POST", f"/v2/bank/items/{self.part(bank_item_id)}/assign", body=body, idempotency_key=idempotency_key or self.new_key())

    def write_off_bank_item(self, bank_item_id: str, body: models.WriteOffBankItemRequest, *, idempotency_key: str | None = None) -> models.BankItem:
        """Book a line of a statement as costs.

        For a line in suspense, such as a fee with an unknown code. At most $100.00 is booked at once; another member approves more.
        """
        return self.request("POST", f"/v2/bank/items/{self.part(bank_item_id)}/write-off", body=body, idempotency_key=idempotency_key or self.new_key())

    def explain_bank_item(self, bank_item_id: str, body: models.ExplainBankItemRequest, *, idempotency_key: str | None = None) -> models.BankItem:
        """Explain a line of a statement.

        The line stays in suspense, and the reconciliation shows the reason.
        """
        return self.request("POST", f"/v2/bank/items/{self.part(bank_item_id)}/explain", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_bank_statements(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, settlement_account_id: str | None = None, status: models.StatementStatus | None = None) -> models.BankStatementList:
        """List statements of bank accounts.

        A statement waits until the one of the banking day before it is applied. One that contradicts it is in quarantine.
        """
        return self.request("GET", "/v2/bank/statements", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "settlement_account_id": settlement_account_id, "status": status})

    def iterate_bank_statements(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, settlement_account_id: str | None = None, status: models.StatementStatus | None = None) -> Iterator[models.BankStatement]:
        """List statements of bank accounts: all of them, page by page."""
        return self.pages(lambda after: self.list_bank_statements(limit=limit, created_after=created_after, created_before=created_before, settlement_account_id=settlement_account_id, status=status, starting_after=after))

    def get_bank_statement(self, bank_statement_id: str) -> models.BankStatementWithLines:
        """Get a statement with its lines.

        Returns a statement with its balances, and why it waits or is in quarantine.
        """
        return self.request("GET", f"/v2/bank/statements/{self.part(bank_statement_id)}")

    def list_deposit_references(self) -> list[Any]:
        """List the references for deposits by wire.

        A credit of a settlement account with the reference of an app fills the wallet of that app, when the statement is applied.
        """
        return self.request("GET", "/v2/bank/deposit-references")

    def get_bank_reconciliation(self, *, settlement_account_id: str, on: str | None = None) -> models.BankReconciliation:
        """Compare the bank's balance with the ledger.

        For a statement that is applied. Unbooked payments, lines in suspense and open statements are those of now.
        """
        return self.request("GET", "/v2/bank/reconciliation", query={"settlement_account_id": settlement_account_id, "on": on})

    def end_settlement_account(self, settlement_account_id: str, body: models.EndSettlementAccountRequest, *, idempotency_key: str | None = None) -> models.SettlementAccount:
        """Take a settlement account out of use.

        Refused while the account has money, or lines, files and returns that are not booked. A repeated call changes nothing.
        """
        return self.request("POST", f"/v2/bank/settlement-accounts/{self.part(settlement_account_id)}/end", body=body, idempotency_key=idempotency_key or self.new_key())

    def confirm_bank_statement(self, bank_statement_id: str, body: models.ConfirmBankStatementRequest, *, idempotency_key: str | None = None) -> models.BankStatement:
        """Confirm that no statement is missing.

        For a statement that waits, if the bank writes none for days without lines. Its opening balance must be the last closing balance.
        """
        return self.request("POST", f"/v2/bank/statements/{self.part(bank_statement_id)}/confirm", body=body, idempotency_key=idempotency_key or self.new_key())

    def discard_bank_statement(self, bank_statement_id: str, body: models.DiscardBankStatementRequest, *, idempotency_key: str | None = None) -> models.BankStatement:
        """Discard a statement that is not applied.

        For a statement that the bank replaced. Nothing of it is booked; it stays stored.
        """
        return self.request("POST", f"/v2/bank/statements/{self.part(bank_statement_id)}/discard", body=body, idempotency_key=idempotency_key or self.new_key())

    def restore_bank_statement(self, bank_statement_id: str, body: models.RestoreBankStatementRequest, *, idempotency_key: str | None = None) -> models.BankStatement:
        """Restore a statement that was discarded by mistake.

        It waits again, and is applied when its turn comes. Refused if another statement of its day is not discarded, or if a statement of its day or a later one is applied.
        """
        return self.request("POST", f"/v2/bank/statements/{self.part(bank_statement_id)}/restore", body=body, idempotency_key=idempotency_key or self.new_key())

    def show_trial_balance(self, *, as_of: str | None = None, app_id: str | None = None) -> models.TrialBalance:
        """Get the trial balance, now or at a past time.

        Returns the balances of the calling app; with an organization key and no Api-App-Id, those of the whole organization.
        """
        return self.request("GET", "/v2/ledger/trial-balance", query={"as_of": as_of}, app_id=app_id)

    def list_ledger_accounts(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, type: models.LedgerAccountKind | None = None, user_id: str | None = None, app_id: str | None = None) -> models.LedgerAccountList:
        """List ledger accounts.

        Lists the ledger accounts with their balances.
        """
        return self.request("GET", "/v2/ledger/accounts", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "type": type, "user_id": user_id}, app_id=app_id)

    def iterate_ledger_accounts(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, type: models.LedgerAccountKind | None = None, user_id: str | None = None, app_id: str | None = None) -> Iterator[models.LedgerAccount]:
        """List ledger accounts: all of them, page by page."""
        return self.pages(lambda after: self.list_ledger_accounts(limit=limit, created_after=created_after, created_before=created_before, type=type, user_id=user_id, app_id=app_id, starting_after=after))

    def show_ledger_account(self, account_id: str, *, app_id: str | None = None) -> models.LedgerAccount:
        """Get a ledger account.

        Returns one ledger account with its balance.
        """
        return self.request("GET", f"/v2/ledger/accounts/{self.part(account_id)}", app_id=app_id)

    def list_ledger_entries(self, account_id: str, *, limit: int | None = None, starting_after: int | None = None, ending_before: int | None = None, created_after: str | None = None, created_before: str | None = None, app_id: str | None = None) -> models.EntryList:
        """List the entries of a ledger account.

        Lists entries, newest first. An entry has the number of its transaction; starting_after and ending_before take that number.
        """
        return self.request("GET", f"/v2/ledger/accounts/{self.part(account_id)}/entries", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before}, app_id=app_id)

    def iterate_ledger_entries(self, account_id: str, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, app_id: str | None = None) -> Iterator[models.Entry]:
        """List the entries of a ledger account: all of them, page by page."""
        return self.pages(lambda after: self.list_ledger_entries(account_id, limit=limit, created_after=created_after, created_before=created_before, app_id=app_id, starting_after=after))

    def list_transactions(self, *, limit: int | None = None, starting_after: int | None = None, ending_before: int | None = None, created_after: str | None = None, created_before: str | None = None, transfer_id: str | None = None, type: models.TransactionKind | None = None, app_id: str | None = None) -> models.TransactionList:
        """List the app's transactions.

        Lists transactions with their transfers, newest first. starting_after and ending_before take a transaction's id, which is a number.
        """
        return self.request("GET", "/v2/transactions", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "transfer_id": transfer_id, "type": type}, app_id=app_id)

    def iterate_transactions(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, transfer_id: str | None = None, type: models.TransactionKind | None = None, app_id: str | None = None) -> Iterator[models.Transaction]:
        """List the app's transactions: all of them, page by page."""
        return self.pages(lambda after: self.list_transactions(limit=limit, created_after=created_after, created_before=created_before, transfer_id=transfer_id, type=type, app_id=app_id, starting_after=after))

    def list_sandbox_messages(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, to: str | None = None, app_id: str | None = None) -> models.InboxMessageList:
        """List simulated messages.

        Lists the messages that the sandbox did not send, newest first. If a provider is configured for a channel, its messages are sent and not listed here. Returns 404 in production.
        """
        return self.request("GET", "/v2/sandbox/messages", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "to": to}, app_id=app_id)

    def iterate_sandbox_messages(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, to: str | None = None, app_id: str | None = None) -> Iterator[models.InboxMessage]:
        """List simulated messages: all of them, page by page."""
        return self.pages(lambda after: self.list_sandbox_messages(limit=limit, created_after=created_after, created_before=created_before, to=to, app_id=app_id, starting_after=after))

    def list_events(self, *, after: int | None = None, limit: int | None = None, name: models.EventName | None = None, object_id: str | None = None, app_id: str | None = None) -> models.Events:
        """List events.

        Lists events, oldest first, without gaps. Every committed transition has exactly one event. Keep the sequence of the last event that you processed and request the events after it. The head is signed: keep its anchor elsewhere to prove later that the history was not rewritten.
        """
        return self.request("GET", "/v2/events", query={"after": after, "limit": limit, "name": name, "object_id": object_id}, app_id=app_id)

    def list_administrative_acts(self, *, after: int | None = None, limit: int | None = None) -> models.Acts:
        """List administrative acts.

        Lists changes of keys, members, settings and policies: the actor, the time, and the values before and after. Each act is recorded in the commit of its change and chained like events. A call that changes nothing is not recorded.
        """
        return self.request("GET", "/v2/administrative-acts", query={"after": after, "limit": limit})

    def get_event(self, event_id: str, *, app_id: str | None = None) -> models.Event:
        """Get an event.

        The event's id is also the header webhook-id of its webhook deliveries.
        """
        return self.request("GET", f"/v2/events/{self.part(event_id)}", app_id=app_id)

    def create_webhook_endpoint(self, body: models.CreateWebhookEndpointRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.WebhookEndpointWithSecret:
        """Create a webhook endpoint.

        bursar posts the app's events from then on to the URL, signed according to Standard Webhooks; see the webhooks of this document. Only this response shows the secret. In production, the URL must use https and resolve to a public address. An app has at most 16 endpoints.
        """
        return self.request("POST", "/v2/webhook-endpoints", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_webhook_endpoints(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, status: models.EndpointStatus | None = None, app_id: str | None = None) -> models.WebhookEndpointList:
        """List webhook endpoints.

        Lists the app's webhook endpoints, newest first, without their secrets.
        """
        return self.request("GET", "/v2/webhook-endpoints", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "status": status}, app_id=app_id)

    def iterate_webhook_endpoints(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, status: models.EndpointStatus | None = None, app_id: str | None = None) -> Iterator[models.WebhookEndpoint]:
        """List webhook endpoints: all of them, page by page."""
        return self.pages(lambda after: self.list_webhook_endpoints(limit=limit, created_after=created_after, created_before=created_before, status=status, app_id=app_id, starting_after=after))

    def get_webhook_endpoint(self, webhook_endpoint_id: str, *, app_id: str | None = None) -> models.WebhookEndpoint:
        """Get a webhook endpoint.

        Returns one webhook endpoint, without its secret.
        """
        return self.request("GET", f"/v2/webhook-endpoints/{self.part(webhook_endpoint_id)}", app_id=app_id)

    def update_webhook_endpoint(self, webhook_endpoint_id: str, body: models.UpdateWebhookEndpointRequest | None = None, *, app_id: str | None = None) -> models.WebhookEndpoint:
        """Update, disable or enable a webhook endpoint.

        Changes only the fields that are sent. A disabled endpoint receives no events until it is enabled.
        """
        return self.request("PATCH", f"/v2/webhook-endpoints/{self.part(webhook_endpoint_id)}", body=body, app_id=app_id)

    def delete_webhook_endpoint(self, webhook_endpoint_id: str, *, app_id: str | None = None) -> None:
        """Delete a webhook endpoint.

        Pending deliveries to the endpoint are not sent.
        """
        return self.request("DELETE", f"/v2/webhook-endpoints/{self.part(webhook_endpoint_id)}", app_id=app_id)

    def rotate_webhook_secret(self, webhook_endpoint_id: str, body: models.RotateWebhookSecretRequest | None = None, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.WebhookEndpointWithSecret:
        """Rotate the secret of a webhook endpoint.

        For 24 hours the previous secret signs too, and the header webhook-signature contains both signatures. Older secrets stop signing.
        """
        return self.request("POST", f"/v2/webhook-endpoints/{self.part(webhook_endpoint_id)}/rotate-secret", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def test_webhook_endpoint(self, webhook_endpoint_id: str, body: models.TestWebhookEndpointRequest | None = None, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.WebhookEndpoint:
        """Test a webhook endpoint.

        Emits the event webhook_endpoint.tested, whose object is the endpoint. The event is sent to this endpoint only, also if it does not receive events of this name, with the signature and the retries of every delivery. The list of deliveries shows the status of the response.
        """
        return self.request("POST", f"/v2/webhook-endpoints/{self.part(webhook_endpoint_id)}/test", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_webhook_deliveries(self, webhook_endpoint_id: str, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, status: models.DeliveryStatus | None = None, event_name: models.EventName | None = None, app_id: str | None = None) -> models.WebhookDeliveryList:
        """List the deliveries of a webhook endpoint.

        Lists sent and pending deliveries. The first attempt is immediate; retries follow 5 seconds, 5 minutes, 30 minutes, 2, 5, 10 and 10 hours after a failed attempt. After eight failed attempts the delivery is dead. Deliveries are kept for 30 days after their last change.
        """
        return self.request("GET", f"/v2/webhook-endpoints/{self.part(webhook_endpoint_id)}/deliveries", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "status": status, "event_name": event_name}, app_id=app_id)

    def iterate_webhook_deliveries(self, webhook_endpoint_id: str, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, status: models.DeliveryStatus | None = None, event_name: models.EventName | None = None, app_id: str | None = None) -> Iterator[models.WebhookDelivery]:
        """List the deliveries of a webhook endpoint: all of them, page by page."""
        return self.pages(lambda after: self.list_webhook_deliveries(webhook_endpoint_id, limit=limit, created_after=created_after, created_before=created_before, status=status, event_name=event_name, app_id=app_id, starting_after=after))

    def replay_webhook_delivery(self, webhook_endpoint_id: str, delivery_id: str, body: models.ReplayWebhookDeliveryRequest | None = None, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.WebhookDelivery:
        """Replay a webhook delivery.

        Sends the event again immediately, with the full retry schedule, regardless of the delivery's state.
        """
        return self.request("POST", f"/v2/webhook-endpoints/{self.part(webhook_endpoint_id)}/deliveries/{self.part(delivery_id)}/replay", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def get_sandbox_clock(self, *, app_id: str | None = None) -> models.Clock:
        """Get the sandbox time.

        Returns 404 in production.
        """
        return self.request("GET", "/v2/sandbox/clock", app_id=app_id)

    def advance_sandbox_clock(self, body: models.AdvanceSandboxClockRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.AdvancedClock:
        """Advance the sandbox clock.

        Moves the clock forward. Settlements, expiries, retries and reminders become due for every app of this sandbox. Responds when they are done, after ten seconds at the latest. The clock never moves back. Returns 404 in production.
        """
        return self.request("POST", "/v2/sandbox/clock/advance", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_magic_values(self, *, app_id: str | None = None) -> models.MagicValues:
        """List the magic values.

        Lists the sandbox inputs that select the outcome of a payout or a message, such as a failure or a return.
        """
        return self.request("GET", "/v2/sandbox/magic-values", app_id=app_id)

    def send_sandbox_reply(self, body: models.SendSandboxReplyRequest, *, app_id: str | None = None, idempotency_key: str | None = None) -> models.SandboxReply:
        """Reply to a text message.

        Replies as the phone of a payee would. STOP stops all text messages of the organization to the phone, HELP gets the sender's support contact, START resumes; other texts have no effect. A repeated STOP changes nothing. Returns 404 in production.
        """
        return self.request("POST", "/v2/sandbox/replies", body=body, app_id=app_id, idempotency_key=idempotency_key or self.new_key())

    def list_sandbox_requests(self, *, limit: int | None = None, starting_after: str | None = None, ending_before: str | None = None, created_after: str | None = None, created_before: str | None = None, errors: bool | None = None, request_id: str | None = None, app_id: str | None = None) -> models.SandboxRequestList:
        """List recent requests.

        Lists the newest requests to the API, newest first: those of the app, or with an organization key those of the organization with its claims. The process that answers keeps its newest 1,000 requests in memory, without bodies and query strings; a restart deletes them. Requests for this list are not listed. Returns 404 in production.
        """
        return self.request("GET", "/v2/sandbox/requests", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created_after": created_after, "created_before": created_before, "errors": errors, "request_id": request_id}, app_id=app_id)

    def iterate_sandbox_requests(self, *, limit: int | None = None, created_after: str | None = None, created_before: str | None = None, errors: bool | None = None, request_id: str | None = None, app_id: str | None = None) -> Iterator[models.SandboxRequest]:
        """List recent requests: all of them, page by page."""
        return self.pages(lambda after: self.list_sandbox_requests(limit=limit, created_after=created_after, created_before=created_before, errors=errors, request_id=request_id, app_id=app_id, starting_after=after))

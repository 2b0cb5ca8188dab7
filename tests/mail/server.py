"""A mail server for the tests: real SMTP on a port of its own, which misbehaves when it is told to.

Prints its port, then one JSON line for each mail that it took, whatever it said about it. Each line on standard
input is a mode, and is answered with a line once it holds: accept, refuse (550 to the recipient), busy (451 to
the data), drop (takes the mail and hangs up), hang (takes the mail and says nothing more). With the argument
"login" it serves only the user bursar with the password "s3cret pässword", after STARTTLS with a certificate that nobody
signed; with "open-login" the same without TLS. With "tls" or "starttls", a file and a
name, it speaks TLS from the first byte, or nothing before STARTTLS; its certificate is for that name, by an
authority of its own, whose certificate it writes into the file.
"""

import asyncio
import email
import email.policy
import json
import os
import ssl
import sys

import trustme
from aiosmtpd.smtp import SMTP, AuthResult

mode = "accept"


def say(line):
    print(json.dumps(line), flush=True)


def taken(envelope):
    mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
    part = lambda kind: mail.get_body((kind,)).get_content()
    headers = sorted({name.lower() for name in mail.keys()})
    say({
        "from": envelope.mail_from, "to": envelope.rcpt_tos, "headers": headers, "subject": mail["subject"],
        "message_id": mail["message-id"], "sender": str(mail["from"]),
        "reply_to": str(mail["reply-to"] or ""), "unsubscribe": str(mail["list-unsubscribe"] or ""), "text": part("plain"), "html": part("html"),
    })


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if mode == "refuse":
            return "550 5.1.1 there is no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if mode == "busy":
            return "451 4.3.2 come back later"
        taken(envelope)
        if mode == "drop":
            server.transport.abort()
            await asyncio.Event().wait()
        if mode == "hang":
            await asyncio.Event().wait()
        return "250 OK"


def listen_for_modes():
    global mode
    for line in sys.stdin:
        word = line.strip()
        # A question alone: its answer comes after all that was taken before.
        mode = mode if word == "?" else word
        say({"mode": word})


def who(server, session, envelope, mechanism, given):
    return AuthResult(success=(given.login, given.password) == (b"bursar", "s3cret pässword".encode()), handled=False)


def certified(authority_file, name):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(authority_file)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(name).configure_cert(context)
    return context


def protocol(loop, kind, context):
    if kind == "login":
        return SMTP(Handler(), loop=loop, tls_context=context, auth_required=True, authenticator=who)
    if kind == "open-login":
        return SMTP(Handler(), loop=loop, auth_required=True, auth_require_tls=False, authenticator=who)
    if kind == "starttls":
        return SMTP(Handler(), loop=loop, tls_context=context, require_starttls=True)
    return SMTP(Handler(), loop=loop)


async def main():
    loop = asyncio.get_running_loop()
    kind, *named = sys.argv[1:] or ["plain"]
    context = certified(*named) if named else None
    if kind == "login":
        context = certified(os.devnull, "mail.example.com")
    from_the_start = context if kind == "tls" else None
    server = await loop.create_server(lambda: protocol(loop, kind, context), "127.0.0.1", 0, ssl=from_the_start)
    say({"port": server.sockets[0].getsockname()[1]})
    ended = loop.run_in_executor(None, listen_for_modes)
    await ended


asyncio.run(main())

//! The path of a request's command, in order:
//!
//! 1. [`Admitted`]: are the caller's app and credential still there?
//! 2. [`Once`]: was the idempotency key used before? Then the stored response is the answer.
//! 3. Was the input valid?
//! 4. The command decides.
//! 5. The response is stored with its key, in the same commit.

use super::{Answer, Keyed, StoredAnswer, keep, replay};
use crate::caller::Caller;
use crate::engine::Command;
use crate::ids::OrgId;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// A command whose caller must still exist when it commits.
pub struct Admitted<C> {
    pub caller: Caller,
    pub command: C,
}

impl<C: Command> Command for Admitted<C> {
    type Reply = C::Reply;

    fn needs(&self) -> Vec<Want> {
        let mut needs = self.command.needs();
        needs.extend((self.caller.admission.needs)(&self.caller));
        needs
    }

    fn decide(&self, world: &mut World) -> Result<C::Reply, Halt> {
        (self.caller.admission.refuse_gone)(world, &self.caller)?;
        match self.caller.member {
            Some(signed_in) => world.called_by(format!("member {}", signed_in.member).into()),
            None => world.called_by(self.caller.client_id.as_str().into()),
        }
        self.command.decide(world)
    }
}

/// A command whose reply is rendered as an answer. Its type is erased, so that the code around it is compiled once.
pub trait Answering: Send {
    /// See [`Command::needs`].
    fn needs(&self) -> Vec<Want>;
    /// Decides the command and renders its reply.
    fn decide(&self, world: &mut World) -> Result<Answer, Halt>;
}

/// A command and the function that renders its reply.
struct Answered<C, F> {
    command: C,
    answer: F,
}

/// Joins a command with the function that renders its reply.
pub fn answering<C: Command>(command: C, answer: impl Fn(&C::Reply) -> Answer + Send + 'static) -> Box<dyn Answering> {
    Box::new(Answered { command, answer })
}

impl<C: Command, F: Fn(&C::Reply) -> Answer + Send> Answering for Answered<C, F> {
    fn needs(&self) -> Vec<Want> {
        self.command.needs()
    }

    fn decide(&self, world: &mut World) -> Result<Answer, Halt> {
        Ok((self.answer)(&self.command.decide(world)?))
    }
}

/// A command that runs at most once for its key.
pub struct Once {
    pub org: OrgId,
    pub keyed: Option<Keyed>,
    /// The command, or the refusal of its input.
    pub command: Result<Box<dyn Answering>, Refusal>,
}

impl Command for Once {
    type Reply = Answer;

    fn needs(&self) -> Vec<Want> {
        let stored = self.keyed.as_ref().map(|keyed| Want::row::<StoredAnswer>(key![self.org, keyed.scope, keyed.key]));
        let command = self.command.as_ref().map(|command| command.needs()).unwrap_or_default();
        stored.into_iter().chain(command).collect()
    }

    fn decide(&self, world: &mut World) -> Result<Answer, Halt> {
        let command = || self.command.as_ref().map_err(|refusal| Halt::Refuse(Box::new(refusal.clone())));
        let Some(keyed) = &self.keyed else {
            return command()?.decide(world);
        };
        if let Some(stored) = world.get::<StoredAnswer>(key![self.org, keyed.scope, keyed.key])? {
            return replay(world, &stored, keyed);
        }
        let command = command()?;
        let answer = match world.attempt(|world| command.decide(world))? {
            Ok(answer) => answer,
            // A final refusal is stored: a retry with this key must not succeed unexpectedly later.
            Err(refusal) if refusal.code.is_kept() => Answer::from(&refusal),
            Err(refusal) => return Err(refusal.into()),
        };
        // The stored body has the id of this request, so that a replay has the bytes of the first response.
        let answer = answer.in_context(&keyed.context);
        // A command that must count a failure, such as a wrong code, returns the failure as its response. Like every
        // 400 it is not stored: the corrected request may use this key.
        if answer.status != Code::InvalidInput.status() {
            keep(world, self.org, keyed, &answer);
        }
        Ok(answer)
    }
}

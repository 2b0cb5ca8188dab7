use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};

use crate::ids::Entropy;

pub const SALT_BYTES: usize = 16;

/// A hash that no password matches, at the cost of a chosen one: passwords for unknown e-mail addresses are compared
/// with it.
pub const UNKNOWN: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The cost of a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// A person chose the password: guessing must cost memory and time.
    Chosen,
    /// The program drew it from enough random bits, so a slow hash adds nothing.
    Drawn,
}

/// Returns a password of 120 random bits.
pub fn draw(entropy: &mut Entropy) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(entropy.bytes::<15>())
}

/// Returns the hash of a password, with its salt and cost, as text. [`Strength::Chosen`] takes tens of milliseconds:
/// not for the async threads.
pub fn hash(password: &str, salt: [u8; SALT_BYTES], strength: Strength) -> String {
    let params = match strength {
        Strength::Chosen => Params::default(),
        Strength::Drawn => Params::new(Params::MIN_M_COST, Params::MIN_T_COST, Params::MIN_P_COST, None)
            .expect("the smallest cost is a cost"),
    };
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_with_salt(password.as_bytes(), &salt)
        .expect("argon2 takes any password below 4 GiB and a salt of 16 bytes")
        .to_string()
}

/// Whether this is the password. As slow as the hash was.
pub fn matches(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_matches_its_hash() {
        for strength in [Strength::Chosen, Strength::Drawn] {
            let hashed = hash("correct horse", [7; SALT_BYTES], strength);
            assert!(hashed.starts_with("$argon2id$"), "{hashed}");
            assert!(matches("correct horse", &hashed));
            assert!(!matches("correct horse ", &hashed));
        }
        assert!(!matches("", "no hash"));
    }

    #[test]
    fn an_unknown_address_costs_as_much_as_a_wrong_password() {
        let cost = |hash: &str| hash.split('$').take(4).map(str::to_owned).collect::<Vec<_>>();
        let chosen = hash("correct horse", [0; SALT_BYTES], Strength::Chosen);
        assert_eq!(cost(UNKNOWN), cost(&chosen));
        assert_eq!(UNKNOWN.len(), chosen.len());
        assert!(PasswordHash::new(UNKNOWN).is_ok() && !matches("", UNKNOWN));
    }

    #[test]
    fn two_salts_give_two_hashes() {
        let hashed = |salt| hash("same", [salt; SALT_BYTES], Strength::Drawn);
        assert_ne!(hashed(1), hashed(2));
    }
}

//! The files under `/assets/`. They are compiled into the binary, so pages never load anything from another host.

/// How long a browser may keep an asset, in seconds. Short, because the names do not change with the contents.
pub const ASSET_KEPT_SECONDS: u32 = 3_600;

/// The policy of every page: only files of its own origin load, and no other page may frame it. A frame around a claim
/// page could capture the clicks of a payee.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
     img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// The policy of the reference of a sandbox, whose forms call the API of this server.
pub const TRYING_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
     img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// The policy of a mail of the sandbox's inbox: it has inline styles, as mails have, and runs and sends nothing.
pub const MAIL_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; \
     form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

/// One file served under `/assets/<name>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    /// The last segment of the path, for example `bursar.css`.
    pub name: &'static str,
    pub content_type: &'static str,
    pub bytes: &'static [u8],
}

pub const ASSETS: [Asset; 5] = [
    Asset {
        name: "bursar.css",
        content_type: "text/css; charset=utf-8",
        bytes: include_bytes!("../../assets/bursar.css"),
    },
    Asset {
        name: "bursar.js",
        content_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../../assets/bursar.js"),
    },
    Asset {
        name: "claim.js",
        content_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../../assets/claim.js"),
    },
    Asset {
        name: "try.js",
        content_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../../assets/try.js"),
    },
    Asset { name: "bursar.svg", content_type: "image/svg+xml", bytes: include_bytes!("../../assets/bursar.svg") },
];

/// Returns the file with this name, or `None` (a 404).
#[must_use]
pub fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_asset_is_found_by_its_exact_name_only() {
        assert!(asset("bursar.css").is_some_and(|css| css.content_type.starts_with("text/css")));
        assert_eq!(asset("../Cargo.toml"), None);
    }

    #[test]
    fn assets_load_nothing_from_elsewhere() {
        for asset in &ASSETS {
            let text = std::str::from_utf8(asset.bytes).expect("assets are text");
            // The XML namespace is a name, not an address that a browser loads.
            let text = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("://"), "{} names another host", asset.name);
        }
    }
}

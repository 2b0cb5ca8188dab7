//! What settings are refused, and which go before which.

use super::*;

fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

#[test]
fn nothing_at_all_is_a_sandbox_on_this_machine() {
    let config = Config::load(Settings::default(), None).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.database, Database::Sqlite("bursar-data/bursar.sqlite".into()));
    assert_eq!(config.key.file, Path::new("bursar-data/master.key"));
    assert_eq!((config.environment, config.requests_per_second), (Environment::Sandbox, None));
    assert!(config.migrate && config.admin_listen.is_none());
}

#[test]
fn what_is_given_goes_before_the_file() {
    let file = file("listen = '127.0.0.1:1'\nrole = 'all'\ndatabase-url = 'sqlite:/x/y'\nno-migrate = true");
    let given = Settings { listen: Some("127.0.0.1:2".parse().unwrap()), ..Settings::default() };
    let config = Config::load(given, Some(file.path())).unwrap();
    assert_eq!((config.listen.port(), config.role), (2, Role::All));
    assert_eq!(config.database, Database::Sqlite("/x/y".into()));
    assert!(!config.migrate);
}

#[test]
fn an_embedded_store_has_one_process_for_everything() {
    for (role, database_url, well) in [
        (Role::All, "sqlite:/x/y", true),
        (Role::Api, "sqlite:/x/y", false),
        (Role::Worker, "sqlite:/x/y", false),
        (Role::Worker, "postgres://bursar@127.0.0.1/bursar", true),
    ] {
        let (role, database_url) = (Some(role), Some(database_url.to_owned()));
        let loaded = Config::load(Settings { role, database_url, ..Settings::default() }, None);
        assert_eq!(loaded.is_ok(), well, "{role:?}");
    }
}

#[test]
fn a_misspelled_key_is_no_setting() {
    let file = file("lissten = '127.0.0.1:1'");
    let wrong = Config::load(Settings::default(), Some(file.path())).unwrap_err();
    assert!(wrong.to_string().contains("lissten: unknown setting; did you mean listen?"), "{wrong}");
    let gone = Config::load(Settings::default(), Some(Path::new("/no/such/file"))).unwrap_err();
    assert!(gone.to_string().contains("cannot read"), "{gone}");
}

#[test]
fn trusted_proxies_are_networks() {
    let proxies = |text: &str| Config::load(Settings::default(), Some(file(text).path()));
    let config = proxies("trusted-proxies = ['10.0.0.0/8', '::1']").unwrap();
    assert_eq!(config.trusted_proxies.iter().map(Network::to_string).collect::<Vec<_>>(), ["10.0.0.0/8", "::1/128"]);
    let wrong = proxies("trusted-proxies = ['10.0.0.0/99']").unwrap_err().to_string();
    assert!(wrong.contains("trusted-proxies") && wrong.contains("10.0.0.0/99"), "{wrong}");
}

#[test]
fn a_bad_setting_of_the_file_hides_no_other_reason() {
    let bad = file("trusted-proxies = ['300.0.0.1']\nlissten = 1\nsmtp-url = 'smtps://mail.example'\nrole = 'none'");
    let reasons = Config::load(Settings::default(), Some(bad.path())).unwrap_err().0;
    for said in
        ["trusted-proxies: ", "300.0.0.1", "lissten: unknown setting; did you mean listen?", "smtp-from", "role: "]
    {
        assert!(reasons.iter().any(|reason| reason.contains(said)), "{said}: {reasons:#?}");
    }
    assert_eq!(reasons.len(), 4, "{reasons:#?}");
}

const PROVIDERS: &str = "smtp-url = 'smtps://mail.example'\nsmtp-from = 'pay@example.com'\n\
    sms-url = 'https://sms.example'\nsms-account = 'AC1'\nsms-token-file = '/t'\nsms-from = '+12125550100'";

#[test]
fn production_does_not_pretend_to_deliver() {
    let production = Settings { environment: Some(EnvironmentChoice::Production), ..Settings::default() };
    let none = file("public-url = 'https://pay.example'\nkey-file = '/etc/bursar/key'");
    let refused = Config::load(production, Some(none.path())).unwrap_err();
    assert!(refused.0[0].contains("needs smtp-url and smtp-from"), "{refused}");
    assert!(refused.0[1].contains("needs sms-url, sms-account, sms-token-file and sms-from"), "{refused}");
}

#[test]
fn providers_are_configured_completely_or_not_at_all() {
    let lines: Vec<&str> = PROVIDERS.lines().collect();
    for missing in 0..lines.len() {
        let rest: Vec<&str> = (0..lines.len()).filter(|at| *at != missing).map(|at| lines[at]).collect();
        let wrong = Config::load(Settings::default(), Some(file(&rest.join("\n")).path())).unwrap_err();
        assert!(wrong.to_string().contains("need"), "{wrong}");
    }
    for alone in ["smtp-user = 'me'", "smtp-password-file = '/p'"] {
        assert!(Config::load(Settings::default(), Some(file(alone).path())).is_err(), "{alone}");
        let settings_file = file(&format!("{PROVIDERS}\n{alone}"));
        let wrong = Config::load(Settings::default(), Some(settings_file.path())).unwrap_err().to_string();
        assert!(wrong.contains("must be given together"), "{wrong}");
    }
    let none = Config::load(Settings::default(), None).unwrap();
    assert!(none.mail.is_none() && none.phone.is_none(), "a sandbox has its inbox");
}

#[test]
fn production_refuses_every_unsafe_setting_at_once() {
    let production = Settings { environment: Some(EnvironmentChoice::Production), ..Settings::default() };
    assert_eq!(Config::load(production.clone(), None).unwrap_err().0.len(), 5);
    let of =
        |public_url: &str| file(&format!("public-url = '{public_url}'\nkey-file = '/etc/bursar/key'\n{PROVIDERS}"));
    let plain = of("http://pay.example");
    let refused = Config::load(production.clone(), Some(plain.path())).unwrap_err();
    assert_eq!(
        refused.0,
        ["production: public-url must begin with https://, because claim links give access to money"]
    );
    let safe = of("https://pay.example/");
    let config = Config::load(production, Some(safe.path())).unwrap();
    assert_eq!(config.public_url.as_deref(), Some("https://pay.example"));
    assert_eq!(config.admin_listen.map(|address| address.port()), Some(9090));
    assert_eq!(config.requests_per_second, Some(REQUESTS_PER_SECOND));
}

#[test]
fn production_does_not_talk_to_a_database_in_the_open() {
    let of = |url: &str| {
        let text = format!(
            "public-url = 'https://pay.example'\nkey-file = '/etc/bursar/key'\n{PROVIDERS}\ndatabase-url = '{url}'"
        );
        let production = Settings { environment: Some(EnvironmentChoice::Production), ..Settings::default() };
        Config::load(production, Some(file(&text).path()))
    };
    assert!(of("postgres://db.example/pay?sslmode=verify-full").is_ok());
    assert!(of("postgres:///pay?host=/run/postgresql").is_ok());
    for open in ["postgres://db.example/pay", "postgres://db.example/pay?sslmode=require"] {
        assert!(of(open).unwrap_err().0[0].contains("sslmode=verify-full"), "{open}");
    }
}

#[test]
fn only_known_stores_and_addresses() {
    let of = |url: &str| database(url, &Settings::default());
    assert_eq!(of("sqlite:data/x"), Ok(Database::Sqlite("data/x".into())));
    assert_eq!(of("sqlite:///var/x"), Ok(Database::Sqlite("/var/x".into())));
    for url in ["", "sqlite:", "mysql://root:secret@db", "x"] {
        assert!(of(url).is_err_and(|error| !error.to_string().contains("secret")), "{url}");
    }
    let shared = of("postgres://me:secret@a,b/pay?sslmode=require").unwrap();
    assert!(matches!(&shared, Database::Postgres { executors: None, .. }), "{shared:?}");
    assert!(!format!("{shared:?}").contains("secret"));
    assert!(of("postgres://me:secret@a/x?sslmode=maybe").is_err_and(|error| !error.to_string().contains("secret")));
    assert_eq!((score_min(None), score_min(Some(100))), (Ok(SCORE_MIN), Ok(100)));
    assert!(score_min(Some(69)).is_err() && score_min(Some(101)).is_err());
    assert!(public_url("pay.example").is_err() && public_url("https://").is_err());
}

//! A running server, as the subcommands that talk to one reach it: over HTTP, with a key, like any other client.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use reqwest::Method;
use serde_json::Value;

use super::terminal::Failed;
use crate::apps::Credentials;
use crate::config::BadConfig;
use crate::outbound::install_tls;

/// How long an answer may take.
const DEADLINE: Duration = Duration::from_secs(30);

/// The server, and the key.
#[derive(Args)]
pub(super) struct Server {
    /// Data folder of a sandbox; the command uses its credentials
    #[arg(long, value_name = "FOLDER", env = "BURSAR_DATA_DIR", default_value = "bursar-data")]
    data_dir: PathBuf,
    /// Client id to use instead of the sandbox's
    #[arg(long, value_name = "ID", requires = "api_key")]
    client_id: Option<String>,
    /// API key of that client id
    #[arg(long, value_name = "KEY", env = "BURSAR_API_KEY", hide_env_values = true, requires = "client_id")]
    api_key: Option<String>,
    /// Address of the server [default: the address of the sandbox; with --client-id http://127.0.0.1:8080]
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
}

/// Whose key is used.
#[derive(Clone, Copy)]
pub(super) enum As {
    /// The app's.
    App,
    /// The organization's.
    Organization,
}

/// A server to talk to.
pub(super) struct Api {
    client: reqwest::Client,
    base_url: String,
    client_id: String,
    api_key: String,
    /// The sandbox's own app, where its credentials were read.
    pub app: Option<String>,
}

/// Why there is no answer to work with.
pub(super) enum ApiError {
    /// The server is not there now, or cannot answer now: it may be tried again.
    Away(String),
    /// It said no.
    Refused { status: u16, message: String },
}

impl From<ApiError> for Failed {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Away(message) | ApiError::Refused { message, .. } => Self::Work(message),
        }
    }
}

impl Server {
    /// The server with the key of an app or an organization.
    pub fn open(&self, caller: As) -> Result<Api, Failed> {
        let (base_url, client_id, api_key, app) = match (&self.client_id, &self.api_key) {
            (Some(client_id), Some(api_key)) => {
                let base_url = self.base_url.clone().unwrap_or_else(|| "http://127.0.0.1:8080".to_owned());
                (base_url, client_id.clone(), api_key.clone(), None)
            }
            (Some(_) | None, _) => {
                let credentials = self.credentials()?;
                let (client_id, api_key) = match caller {
                    As::App => (credentials.app.client_id, credentials.app.api_key),
                    As::Organization => (credentials.organization.client_id, credentials.organization.api_key),
                };
                let base_url = self.base_url.clone().unwrap_or(credentials.base_url);
                (base_url, client_id, api_key, Some(credentials.app.id.to_string()))
            }
        };
        install_tls();
        let client = reqwest::Client::builder().timeout(DEADLINE).build();
        let client = client.map_err(|error| Failed::Work(format!("cannot make an HTTP client: {error}")))?;
        let base_url = base_url.trim_end_matches('/').to_owned();
        if reqwest::Url::parse(&base_url).is_err() {
            return Err(BadConfig::one(format!("base-url {base_url:?} is no URL")).into());
        }
        Ok(Api { client, base_url, client_id, api_key, app })
    }

    fn credentials(&self) -> Result<Credentials, Failed> {
        let file = self.data_dir.join("sandbox-credentials.json");
        let bad = |reason: String| {
            let instead = "start a sandbox there, or give --client-id and --api-key";
            Failed::from(BadConfig::one(format!("{}: {reason}; {instead}", file.display())))
        };
        let text = std::fs::read_to_string(&file).map_err(|error| bad(error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| bad(error.to_string()))
    }
}

impl Api {
    /// Asks, and gives the JSON of the answer; null where it has no body.
    pub async fn ask(&self, method: Method, path: &str) -> Result<Value, ApiError> {
        let bytes = self.send(method, path, None, None).await?;
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Sends a request with a body and a member's session, and returns the body of the response.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        session: Option<&str>,
    ) -> Result<Vec<u8>, ApiError> {
        let headers: Vec<(&str, &str)> = session.map(|session| ("member-session", session)).into_iter().collect();
        self.send_with(method, path, body, &headers).await
    }

    /// Sends a request with a body and headers, and returns the body of the response.
    pub async fn send_with(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        headers: &[(&str, &str)],
    ) -> Result<Vec<u8>, ApiError> {
        self.send_bytes(method, path, body.map(|body| body.to_string().into_bytes()), headers).await
    }

    /// Sends a request with JSON as it was given, and returns the body of the response.
    pub async fn send_bytes(
        &self,
        method: Method,
        path: &str,
        json: Option<Vec<u8>>,
        headers: &[(&str, &str)],
    ) -> Result<Vec<u8>, ApiError> {
        let request = self.request(method, path, headers);
        self.answer(match json {
            Some(json) => request.header("content-type", "application/json").body(json),
            None => request,
        })
        .await
    }

    /// Sends a CSV file with POST, and returns the JSON of the response.
    pub async fn send_csv(&self, path: &str, file: Vec<u8>, headers: &[(&str, &str)]) -> Result<Value, ApiError> {
        let request = self.request(Method::POST, path, headers).header("content-type", "text/csv; charset=utf-8");
        let bytes = self.answer(request.body(file)).await?;
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    fn request(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> reqwest::RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.base_url));
        let request = request.basic_auth(&self.client_id, Some(&self.api_key));
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
    }

    async fn answer(&self, request: reqwest::RequestBuilder) -> Result<Vec<u8>, ApiError> {
        let away = |error: reqwest::Error| {
            let advice = if error.is_connect() { "\nIs the server running? Start it with bursar serve." } else { "" };
            ApiError::Away(format!("{}: {}{advice}", self.base_url, reason(error)))
        };
        let response = request.send().await.map_err(away)?;
        let status = response.status();
        let bytes = response.bytes().await.map_err(away)?;
        if status.is_success() {
            return Ok(bytes.to_vec());
        }
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let message = body["message"].as_str().unwrap_or_default();
        let mut reported = format!("{} said {}: {message}", self.base_url, status.as_u16());
        // The message of one field is that of the response.
        let fields = body["errors"].as_array().map_or(&[][..], Vec::as_slice);
        for field in fields.iter().filter(|_| fields.len() > 1) {
            reported.push_str(&format!("\n  {}", line_of(field)));
        }
        if status.is_server_error() || status.as_u16() == 429 {
            Err(ApiError::Away(reported))
        } else {
            Err(ApiError::Refused { status: status.as_u16(), message: reported })
        }
    }
}

/// Returns a field with its message. The message of a cell of a file names its line and column instead.
fn line_of(error: &Value) -> String {
    let [field, message] = ["field", "message"].map(|name| error[name].as_str().unwrap_or_default());
    if message.starts_with("Line ") { message.to_owned() } else { format!("{field}: {message}") }
}

/// The innermost reason: "connection refused" is more precise than "error sending request".
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
    causes.last().map(ToString::to_string).unwrap_or_default()
}

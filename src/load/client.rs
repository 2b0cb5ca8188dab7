//! A keep-alive connection to the service.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::model::{Load, Sent};

pub(super) struct Client {
    sender: SendRequest<Full<Bytes>>,
    host: String,
    authorization: String,
}

impl Client {
    pub(super) async fn connect(load: &Load, number: usize) -> Option<Self> {
        let app = &load.apps[number % load.apps.len()];
        let stream = TcpStream::connect(&load.address).await.ok()?;
        stream.set_nodelay(true).ok()?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(async move {
            // The sender's next request fails when the server is gone.
            drop(connection.await);
        });
        let token = STANDARD.encode(format!("{}:{}", app.client_id, app.api_key));
        Some(Self { sender, host: load.address.clone(), authorization: format!("Basic {token}") })
    }

    /// Sends a request; returns the status and body of its response, if any.
    pub(super) async fn call(&mut self, sent: &Sent) -> Option<(u16, String)> {
        let request = hyper::Request::builder()
            .method(if sent.body.is_empty() { "GET" } else { "POST" })
            .uri(&*sent.path)
            .header("host", &self.host)
            .header("authorization", &self.authorization);
        let request = match sent.body.is_empty() {
            true => request,
            false => request.header("content-type", "application/json").header("idempotency-key", &sent.key),
        };
        let request = request.body(Full::new(Bytes::from(sent.body.clone()))).ok()?;
        self.sender.ready().await.ok()?;
        let response = self.sender.send_request(request).await.ok()?;
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.ok()?.to_bytes();
        Some((status, String::from_utf8_lossy(&body).into_owned()))
    }
}

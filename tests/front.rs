//! What stands before every handler: errors of the framework, bodies, headers.

use crate::harness::Server;

#[tokio::test]
async fn an_unknown_path_has_the_error_body() {
    let server = Server::memory().await;
    for path in ["/", "/v2", "/v3/users", "/v2/no-such-noun", "/livez/"] {
        server.get(path).send().await.refused(404, "not-found");
    }
}

use super::inputs::{BrandInput, LogoInput};
use super::json::BrandJson;
use super::sender::Sender;
use super::update::{RemoveLogo, SetLogo, UpdateBrand};
use crate::apps::http::app_in_path;
use crate::apps::rows::find;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::permission::Permission;
use crate::refusal::Code;
use crate::scope::Scope;
use crate::security_log::SecurityEvent;

fn shown(call: &Call, sender: &Sender) -> Answer {
    Answer::ok(&BrandJson::of(sender, &call.bursar.public_url))
}

fn changed(call: &Call, scope: Scope, sender: &Sender) -> Answer {
    call.log_security(SecurityEvent::SettingChanged, "brand", Some(&scope.app.to_string()));
    shown(call, sender)
}

pub async fn read(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    let sender = call.read(move |world| Ok(Sender::from(&*find(world, scope)?))).await?;
    Ok(shown(&call, &sender))
}

pub async fn update(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    let changes: BrandInput = call.body()?;
    let sender = call.run(UpdateBrand { scope, changes }).await?;
    Ok(changed(&call, scope, &sender))
}

pub async fn set_logo(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    let LogoInput { image: file } = call.body()?;
    let sender = call.run(SetLogo { scope, file }).await?;
    Ok(changed(&call, scope, &sender))
}

pub async fn remove_logo(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    let sender = call.run(RemoveLogo { scope }).await?;
    Ok(changed(&call, scope, &sender))
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/apps/{app_id}/brand" AppOrOrganization "get_app_brand" read)
            .members(Permission::View)
            .about("Apps", "Get an app's brand")
            .describe("Returns how the app appears to payees: on the claim page, on receipts and in messages.")
            .gives::<BrandJson>(200, "The brand.")
            .refuses(&[Code::NotFound]),
        route!(Put "/v2/apps/{app_id}/brand" Organization "update_app_brand" update)
            .members(Permission::Govern)
            .about("Apps", "Update an app's brand")
            .describe("Updates the fields that are sent; null removes a field. Links must be https, and white text on the color must have a contrast of at least 4.5. Requires an organization key or an admin's session, so that an app's key cannot pass for another sender.")
            .takes::<BrandInput>()
            .example(serde_json::json!({"color": "#1f4e9e", "website": "https://example.com", "support_email": "help@example.com"}))
            .gives::<BrandJson>(200, "The brand.")
            .refuses(&[Code::NotFound, Code::InvalidEmail, Code::InvalidPhoneNumber]),
        route!(Put "/v2/apps/{app_id}/logo" Organization "set_app_logo" set_logo)
            .members(Permission::Govern)
            .about("Apps", "Set an app's logo")
            .describe("Replaces the logo. The file is a PNG, JPEG or WebP image; its header decides, not a name. Caches may show the old logo for an hour.")
            .takes::<LogoInput>()
            .example(serde_json::json!({"image": "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mOQ95tHEmIY1TCqYfhqAABz+AsQKXu1hgAAAABJRU5ErkJggg=="}))
            .gives::<BrandJson>(200, "The brand.")
            .refuses(&[Code::NotFound]),
        route!(Delete "/v2/apps/{app_id}/logo" Organization "delete_app_logo" remove_logo)
            .members(Permission::Govern)
            .about("Apps", "Remove an app's logo")
            .describe("Pages and mails then show the first letter of the app's name. A repeated call changes nothing.")
            .gives::<BrandJson>(200, "The brand.")
            .refuses(&[Code::NotFound]),
    ]
}

/// The fixtures that the clients cannot do yet, each with the reason.
///
/// The suite fails for a file that is listed and would pass, so nothing stays here longer than it must.
let unsupported: [String: String] = {
    var table: [String: String] = [:]
    for (reason, files) in reasons { for file in files { table[file] = reason } }
    return table
}()

private let reasons: [(String, [String])] = [
    (
        "attribute callbacks are not there yet",
        ["journey/attributes-string-number-boolean.json", "journey/registration-form.json"]
    ),
    ("KbaCreateCallback is not there yet", ["journey/kba-create.json", "journey/kba-create-two.json"]),
    ("TermsAndConditionsCallback is not there yet", ["journey/terms-and-conditions.json"]),
    ("ConsentMappingCallback is not there yet", ["journey/consent-mapping.json"]),
    ("DeviceProfileCallback is not there yet", ["journey/device-profile.json"]),
    ("device binding and signing callbacks are not there yet", ["journey/device-signing-verifier.json"]),
    ("IdPCallback is not there yet", ["journey/idp-google.json"]),
    ("SelectIdPCallback is not there yet", ["journey/select-idp.json"]),
    ("RedirectCallback is not there yet", ["journey/redirect-google.json"]),
    (
        "MetadataCallback and what it stands for are not there yet",
        [
            "journey/metadata-generic.json", "journey/metadata-protect-initialize.json",
            "journey/metadata-webauthn-authentication.json", "journey/metadata-webauthn-registration.json",
            "journey/metadata-webauthn-registration-exclude.json",
        ]
    ),
    (
        "PingOne Protect callbacks are not there yet",
        ["journey/protect-evaluate-callback.json", "journey/protect-initialize-callback.json"]
    ),
    ("reCAPTCHA callbacks are not there yet", ["journey/recaptcha.json", "journey/recaptcha-enterprise.json"]),
    (
        "PollingWaitCallback is not there yet",
        ["journey/polling-wait.json", "journey/polling-wait-with-exit.json", "journey/polling-too-early.json"]
    ),
    ("SuspendedTextOutputCallback is not there yet", ["journey/suspended-email.json"]),
    ("consent is not given on behalf of a user", ["oidc/authorize-302-consent-granted.json"]),
    ("private_key_jwt is not there yet", ["oidc/token-success-private-key-jwt.json"]),
    (
        "pushed authorization requests are not there yet",
        [
            "oidc/par-200-mock.json", "oidc/par-201.json", "oidc/par-400-invalid-request.json",
            "oidc/par-401-invalid-client.json",
        ]
    ),
    (
        "the end session endpoint belongs to the redirect login, which is not there yet",
        ["oidc/end-session-200.json", "oidc/end-session-302.json", "oidc/end-session-500.json"]
    ),
]

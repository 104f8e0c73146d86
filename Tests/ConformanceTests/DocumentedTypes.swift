import JourneyClient

/// The callback types that AM's documentation and Ping's SDKs name.
///
/// A client that only carries one of these does not understand it; any other type is somebody's own, and carrying it is all
/// that can be done.
let documentedTypes: Set<String> = [
    "BooleanAttributeInputCallback", "ChoiceCallback", "ConfirmationCallback", "ConsentMappingCallback",
    "DeviceBindingCallback", "DeviceProfileCallback", "DeviceSigningVerifierCallback", "HiddenValueCallback",
    "HttpCallback", "IdPCallback", "KbaCreateCallback", "LanguageCallback", "MetadataCallback", "NameCallback",
    "NumberAttributeInputCallback", "PasswordCallback", "PingOneProtectEvaluationCallback",
    "PingOneProtectInitializeCallback", "PingOneRecognizeCallback", "PollingWaitCallback", "ReCaptchaCallback",
    "ReCaptchaEnterpriseCallback", "RedirectCallback", "SelectIdPCallback", "StringAttributeInputCallback",
    "SuspendedTextOutputCallback", "TermsAndConditionsCallback", "TextInputCallback", "TextOutputCallback",
    "ValidatedCreatePasswordCallback", "ValidatedCreateUsernameCallback", "X509CertificateCallback",
]

extension JourneyCallback {
    /// The type, marked when it is a documented one that the client only carries.
    var supportedType: String {
        self is UnsupportedCallback && documentedTypes.contains(type) ? "unsupported \(type)" : type
    }
}

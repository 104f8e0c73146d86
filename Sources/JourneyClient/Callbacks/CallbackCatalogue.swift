internal import JSON
internal import Orchestrate

/// The callback types that a client supports; fixed when the client is built.
public struct CallbackCatalogue: Sendable {
    /// Every type of this package.
    public static let standard = CallbackCatalogue(
        [
            NameCallback.self,
            PasswordCallback.self,
            TextInputCallback.self,
            TextOutputCallback.self,
            ChoiceCallback.self,
            ConfirmationCallback.self,
            HiddenValueCallback.self,
            ValidatedCreateUsernameCallback.self,
            ValidatedCreatePasswordCallback.self,
            StringAttributeInputCallback.self,
            NumberAttributeInputCallback.self,
            BooleanAttributeInputCallback.self,
            KbaCreateCallback.self,
            TermsAndConditionsCallback.self,
            ConsentMappingCallback.self,
            SelectIdPCallback.self,
            IdPCallback.self,
            DeviceProfileCallback.self,
            ReCaptchaCallback.self,
            ReCaptchaEnterpriseCallback.self,
            PingOneProtectInitializeCallback.self,
            PingOneProtectEvaluationCallback.self,
            PingOneRecognizeCallback.self,
            DeviceBindingCallback.self,
            DeviceSigningVerifierCallback.self,
            LanguageCallback.self,
            RedirectCallback.self,
            SuspendedTextOutputCallback.self,
            PollingWaitCallback.self,
            MetadataCallback.self,
        ], isOwn: true)

    private let types: [String: any JourneyCallback.Type]
    /// True if no type is a `CloseableAction`, which is closed after its answer, or a `RequestInterceptor`.
    let hasPlainTypes: Bool
    /// True if all types are of this package; they depend only on the page, so parsed pages may be cached.
    let isOwn: Bool

    /// Makes a catalogue of types; of two types with one wire name the later one counts.
    public init(_ types: [any JourneyCallback.Type]) {
        self.init(types, isOwn: false)
    }

    private init(_ types: [any JourneyCallback.Type], isOwn: Bool) {
        self.types = Dictionary(types.map { ($0.wireType, $0) }) { _, last in last }
        self.isOwn = isOwn
        hasPlainTypes = types.allSatisfy { !($0 is any CloseableAction.Type || $0 is any RequestInterceptor.Type) }
    }

    /// A catalogue with these types and more.
    public func adding(_ more: [any JourneyCallback.Type]) -> CallbackCatalogue {
        CallbackCatalogue(Array(types.values) + more)
    }

    /// The wire names, sorted.
    package var wireTypes: [String] { types.keys.sorted() }

    func callback(_ raw: RawCallback) -> any JourneyCallback {
        types[raw.type]?.init(raw) ?? UnsupportedCallback(raw)
    }
}

internal import Basics
internal import Cryptography
internal import JSON

/// Device binding: a native application makes a key, or for `alice` uses one; a browser has no key and gets a code
/// instead.
extension FormJourney {
    static let binding = FormJourney(forms: [
        Form { user, _ in
            var page = SimulatedPage(stage: "Binding")
            var output: JSONObject = [
                "userId": .string("id=\(user.name),ou=user,dc=openam"),
                "challenge": .string(Base64.encode(SecureRandom.bytes(32))), "title": "Confirm it is you",
                "subtitle": "", "description": "", "timeout": 60,
            ]
            if user.name == "alice" {
                page.add("DeviceSigningVerifierCallback", output, input: ["jws": "", "clientError": ""])
            } else {
                output["username"] = .string(user.name)
                output["authenticationType"] = "BIOMETRIC_ALLOW_FALLBACK"
                output["attestation"] = false
                page.add(
                    "DeviceBindingCallback", output,
                    input: ["jws": "", "deviceName": "", "deviceId": "", "clientError": ""])
            }
            return page
        } judge: { answers, _, _ in
            guard ["jws", "deviceName", "deviceId"].allSatisfy({ answers.text(0, $0).isEmpty }) else {
                return .fault("A browser has no such key")
            }
            let error = answers.text(0, "clientError")
            return error == "Unsupported" ? .good : .noError(error, false)
        }, .code,
    ])
}

internal import Basics
internal import Cryptography
internal import JSON

/// A key of a native application, to be made, or for `alice` to be used; a browser has none, which leads to a code.
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

internal import Basics
internal import Cryptography
internal import JSON

/// Sets up an authenticator app by a QR code, then asks for one of its codes; `alice` gets the URI in a script alone.
extension FormJourney {
    static let totp = FormJourney(forms: [
        Form { user, run in
            run.challenge = SecureRandom.bytes(20)
            let uri = TimeBasedCode(key: run.challenge).uri(user.name)
            var page = SimulatedPage(stage: "Totp", header: "Set up your authenticator app")
            page.addText("Scan the QR code with your app, then go on.")
            let escaped = uri.unicodeScalars.map { scalar in
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    ? String(scalar) : "\\x" + String(scalar.value, radix: 16)
            }
            page.addText(
                "window.QRCodeReader.createCode({ id: 'callback_0', text: '\(escaped.joined())', version: '20' });",
                type: "4")
            if user.name != "alice" { page.addHidden("mfaDeviceRegistration", uri) }
            page.addConfirmation(["Next"], chosen: 0)
            return page
        } judge: { answers, _, _ in
            .unless("The app is not set up", answers.index(answers.callbacks.count - 1) == 0)
        },
        Form { _, _ in
            var page = SimulatedPage(stage: "OneTimePassword", header: "Enter a code of your app")
            page.addPassword("One Time Password")
            return page
        } judge: { answers, run, services in
            let codes = [-30, 0, 30].map { seconds in
                TimeBasedCode(key: run.challenge).code(at: services.now + .seconds(seconds))
            }
            return .unless("The code is wrong", codes.contains(answers.text(0)))
        },
    ])

    /// Recovery codes in a script; the script for `bob` has them in a form that clients cannot extract.
    static let recoveryCodes = FormJourney(forms: [
        Form { user, _ in
            let codes = (0..<10).map { _ in String(Identifier.tracking().prefix(8)) }
            let lines =
                user.name == "bob"
                ? "    showCodes(\"\(codes.joined(separator: ","))\");"
                : codes.map { "    \"\($0)\\n\" +\n" }.joined() + "    \"<p>Codes of <em>Your phone</em></p>\\n\";"
            var page = SimulatedPage(stage: "RecoveryCodes")
            page.addText(
                """
                var place = document.getElementById("wrapper");
                place.innerHTML = "<h3>Your Recovery Codes</h3>\\n" +
                \(lines)
                """, type: "4")
            page.addConfirmation(["Done"], chosen: 0)
            return page
        } judge: { answers, _, _ in
            .unless("The codes are not kept", answers.index(1) == 0)
        }
    ])
}

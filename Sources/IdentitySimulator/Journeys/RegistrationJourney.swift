internal import Basics
internal import JSON

/// A new user: name and password with policies, checked by the server and shown as `failedPolicies` with status 200.
struct RegistrationJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, _ services: JourneyServices) -> JourneyTurn {
        .page(page())
    }

    func advance(_ answers: JourneyAnswers, _ run: inout JourneyRun, _ services: JourneyServices) -> JourneyTurn {
        let (name, password) = (answers.text(0), answers.text(1))
        let failures = (failures(ofName: name, services), failures(ofPassword: password))
        let checkOnly = answers.value(0, input: 1)?.bool == true || answers.value(1, input: 1)?.bool == true
        guard failures.0.isEmpty, failures.1.isEmpty, !checkOnly else {
            return .page(page(name: name, nameFailures: failures.0, passwordFailures: failures.1))
        }
        let user = SimulatedUser(
            name: name, password: password, givenName: "New", familyName: name, email: "\(name)@example.com")
        guard services.directory.create(user) else { return .refused }
        return .success(user: name, level: 0, amr: ["Registration"])
    }

    private func page(name: String = "", nameFailures: [String] = [], passwordFailures: [String] = []) -> SimulatedPage
    {
        var page = SimulatedPage(
            stage: "Registration", header: "Register", description: "Choose a name and a password.")
        page.add(
            "ValidatedCreateUsernameCallback",
            [
                "policies": [
                    "policyRequirements": ["REQUIRED", "VALID_TYPE", "UNIQUE", "MIN_LENGTH"], "name": "userName",
                    "policies": [
                        ["policyRequirements": ["REQUIRED"], "policyId": "required"],
                        ["policyRequirements": ["UNIQUE"], "policyId": "unique"],
                        [
                            "policyRequirements": ["MIN_LENGTH"], "policyId": "minimum-length",
                            "params": ["minLength": 3],
                        ],
                    ], "conditionalPolicies": nil, "fallbackPolicies": nil,
                ],
                "failedPolicies": .array(nameFailures.map { .string($0) }), "validateOnly": false, "prompt": "Username",
            ], input: ["": .string(name), "validateOnly": false])
        page.add(
            "ValidatedCreatePasswordCallback",
            [
                "echoOn": false,
                "policies": [
                    "policyRequirements": ["LENGTH_BASED", "AT_LEAST_X_NUMBERS"], "name": "password",
                    "policies": [
                        [
                            "policyRequirements": ["LENGTH_BASED"], "policyId": "length-based",
                            "params": ["min-password-length": 8, "max-password-length": 64],
                        ],
                        [
                            "policyRequirements": ["AT_LEAST_X_NUMBERS"], "policyId": "at-least-X-numbers",
                            "params": ["numNums": 1],
                        ],
                    ], "conditionalPolicies": nil,
                ],
                "failedPolicies": .array(passwordFailures.map { .string($0) }), "validateOnly": false,
                "prompt": "Password",
            ], input: ["": "", "validateOnly": false])
        return page
    }

    private func failures(ofName name: String, _ services: JourneyServices) -> [String] {
        if name.isEmpty { return [#"{ "policyRequirement": "REQUIRED" }"#] }
        var failures: [String] = []
        if name.count < 3 || name.utf8.count > 64 {
            failures.append(#"{ "params": { "minLength": 3 }, "policyRequirement": "MIN_LENGTH" }"#)
        }
        if !name.utf8.allSatisfy(\.isLetterOrDigit) {
            failures.append(#"{ "policyRequirement": "VALID_USERNAME" }"#)
        }
        if services.directory.user(name) != nil { failures.append(#"{ "policyRequirement": "UNIQUE" }"#) }
        return failures
    }

    private func failures(ofPassword password: String) -> [String] {
        var failures: [String] = []
        if !(8...64).contains(password.utf8.count) {
            failures.append(
                #"{ "params": { "max-password-length": 64, "min-password-length": 8 }, "policyRequirement": "LENGTH_BASED" }"#
            )
        }
        if !password.utf8.contains(where: \.isDigit) {
            failures.append(#"{ "params": { "numNums": 1 }, "policyRequirement": "AT_LEAST_X_NUMBERS" }"#)
        }
        return failures
    }
}

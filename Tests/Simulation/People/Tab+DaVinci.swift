import JSON

extension Tab {
    /// What users do at the clients of DaVinci.
    func atDaVinci(_ operation: Operation, _ numbers: inout SeededNumbers) async {
        let workforce = instance("workforce", &numbers)
        switch operation {
        case .flow: await signIn(workforce, &numbers)
        case .flowAround: await signInAround(workforce, &numbers)
        case .flowTwice:
            numbers.happens(0.5)
                ? await answerTwice(workforce, &numbers) : await cancelWhileAnswered(workforce, &numbers)
        case .flowWait: await waitForDevice(workforce, tabs: 1 + numbers.below(3), &numbers)
        case .flowElsewhere: await signInElsewhere(workforce, &numbers)
        case .flowStepUp: await stepUp("orders", &numbers)
        case .flowWeak: await signInWeak(instance("approver", &numbers), &numbers)
        case .flowForeign: await meetForeignLinks(workforce, &numbers)
        case .flowSilent: await startSilently(workforce, &numbers)
        case .desk:
            let desk = instance("desk", &numbers)
            numbers.happens(0.7) ? await user(desk, &numbers) : await refresh(desk, &numbers)
        case .work:
            switch numbers.below(4) {
            case 0: await user(numbers.happens(0.7) ? workforce : instance("approver", &numbers), &numbers)
            case 1: await refresh(workforce, &numbers)
            default: await api("work", nil, &numbers)
            }
        case .workEnds:
            switch numbers.below(3) {
            case 0: await revoke(instance(numbers.pick(["workforce", "desk"]), &numbers), &numbers)
            default:
                await logout(
                    instance(numbers.pick(["workforce", "workforce", "approver"]), &numbers),
                    isShared: numbers.happens(0.3), &numbers)
            }
        default: return
        }
    }

    /// What the user types into a page of DaVinci, and which of its buttons they press.
    func filled(_ page: JSONObject, _ user: String, isRight: Bool, _ numbers: inout SeededNumbers) -> JSONObject {
        var body: JSONObject = ["flow": page["flow"] ?? .null, "step": page["step"] ?? .null]
        var values: JSONObject = [:]
        var buttons: [JSONValue] = []
        for question in page.questions {
            guard let id = question["id"]?.string else { continue }
            switch question["type"]?.string {
            case "TextCollector" where id.hasSuffix("otp"):
                values[id] = .string(isRight ? Definition.oneTimeCode : "wrong")
            case "TextCollector": values[id] = .string(user)
            case "PasswordCollector": values[id] = .string(isRight ? Definition.password : "wrong")
            case "DeviceAuthenticationCollector":
                values[id] = .string(numbers.pick(["phone", "phone", "phone", "work-phone", "old-phone", "tablet"]))
                body["action"] = .string(id)
            case "SubmitCollector": buttons.append(.string(id))
            default: continue
            }
        }
        if buttons.count > 1 { body["action"] = buttons[0] }
        body["values"] = .object(values)
        return body
    }

    /// Presses a button of a page that leads elsewhere in the flow.
    private func press(
        _ button: String, of page: JSONObject, _ instance: Instance, _ values: JSONObject,
        _ numbers: inout SeededNumbers
    ) async -> JSONObject? {
        let body: JSONObject = [
            "flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": .object(values),
            "action": .string(button),
        ]
        let node = await next(body, instance, &numbers)
        return ["continue", "error"].contains(node?["type"]?.string ?? "") ? node : nil
    }

    /// Looks for help, or wants to register with a name that is taken, and signs in then.
    private func signInAround(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        guard var page = await start(instance, begin, &numbers) else { return }
        if numbers.happens(0.5) {
            let values: JSONObject = ["username": .string(browser.users(instance)[0])]
            guard let help = await press("HELP", of: page, instance, values, &numbers),
                let back = await press("BACK", of: help, instance, [:], &numbers)
            else { return }
            page = back
        } else {
            let name: JSONObject = ["username": .string(browser.users(instance)[0]), "password": "another"]
            guard let form = await press("REGISTER", of: page, instance, name, &numbers),
                let refused = await press("CREATE", of: form, instance, name, &numbers),
                let back = await press("BACK", of: refused, instance, [:], &numbers)
            else { return }
            page = back
        }
        await walk(page, instance, isRight: true, &numbers)
    }

    /// Answers a page whose successor has links that lead to another provider.
    private func meetForeignLinks(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        begin.policy = "ForeignLinks"
        guard let page = await start(instance, begin, &numbers) else { return }
        let link = numbers.pick([
            "none", "other-host", "http", "script", "port", "user", "continue", "self", "provider",
        ])
        let body: JSONObject = [
            "flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": ["link": .string(link)],
        ]
        guard let shown = await next(body, instance, &numbers), shown["type"]?.string == "continue" else { return }
        await walk(shown, instance, isRight: true, &numbers)
    }

    /// Asks for a sign-in that shows nothing.
    private func startSilently(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isSilent = true
        _ = await start(instance, begin, &numbers)
    }
}

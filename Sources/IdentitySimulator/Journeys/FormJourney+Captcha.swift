internal import JSON

/// A captcha, whose token is `captcha-passed`; for `alice` and `bob` the enterprise service, for `bob` over HTTP.
extension FormJourney {
    static let captcha = FormJourney(forms: [
        Form { user, _ in
            var page = SimulatedPage(stage: "Captcha")
            let key: JSONObject = ["recaptchaSiteKey": "6LsimulatorSiteKey"]
            guard user.name != "demo" else {
                page.add("ReCaptchaCallback", key, input: ["": ""])
                return page
            }
            var output = key
            let scheme = user.name == "bob" ? "http" : "https"
            output["captchaApiUri"] = .string("\(scheme)://captcha.example.com/enterprise.js")
            output["captchaDivClass"] = "g-recaptcha"
            page.add(
                "ReCaptchaEnterpriseCallback", output,
                input: ["token": "", "action": "", "clientError": "", "payload": ""])
            return page
        } judge: { answers, run, _ in
            let token =
                run.page.callbacks[0]["type"] == "ReCaptchaCallback" ? answers.text(0) : answers.text(0, "token")
            let (action, payload) = (answers.text(0, "action"), answers.value(0, "payload") ?? "")
            let isSound =
                ["", "login"].contains(action)
                && (payload == "" || (try? JSONValue(parsing: payload.string ?? ""))?.object != nil)
            return .noError(answers.text(0, "clientError"), token == "captcha-passed" && isSound)
        }
    ])
}

internal import BFF
internal import JSON
internal import JourneyClient
internal import Orchestrate

extension JourneyFlow {
    /// The page as AM sent it, without its step token, addresses of other sites and what no page of ours may show.
    ///
    /// All callbacks stay in their places, because AM and its programs go by these.
    var providerPage: JSONObject? {
        var page = journeyPage.step
        // rule: a page for Ping's programs has neither step token nor session
        for name in ["authId", "tokenId"] { page[name] = nil }
        let withheld = client.credentials(on: journeyPage).withheld
        page["callbacks"] = .array(
            journeyPage.callbacks.map { callback in
                var shown = callback.raw.json.object ?? [:]
                // rule: a challenge that no page may show is not in a page for Ping's programs
                if withheld.contains(callback.id) { shown["output"] = [] }
                // rule: options that are no question here keep their challenge, too
                if (callback as? TextOutputCallback)?.hidesChallenge == true { shown["output"] = [] }
                if callback.type == RedirectCallback.wireType { shown["output"] = Self.redirect(shown["output"]) }
                if let raw = (callback as? UnsupportedCallback)?.members["raw"] { return raw }
                if callback is PasswordCallback || callback is ValidatedCreatePasswordCallback {
                    shown["input"] = Self.withoutTexts(shown["input"])
                }
                return .object(shown)
            })
        return page
    }

    /// Reads the answers out of the page as Ping's programs send it back.
    func answers(filledIn page: JSONObject) throws(FilledPageError) -> PageAnswers {
        do throws(InvalidAnswersError) {
            return PageAnswers(values: try journeyPage.answers(filledIn: page).values)
        } catch {
            throw FilledPageError(error.problems.map { PageAnswerProblem($0) })
        }
    }

    /// The outputs of a redirect without its address, its form and the `state` in them: the user leaves by `go`.
    private static func redirect(_ outputs: JSONValue?) -> JSONValue {
        let shown = (outputs?.array ?? []).compactMap { output -> JSONValue? in
            switch output["name"]?.string {
            case "redirectUrl": ["name": "redirectUrl", "value": ""]
            case "redirectMethod": ["name": "redirectMethod", "value": "GET"]
            case "trackingCookie": output
            default: nil
            }
        }
        return .array(shown)
    }

    /// The inputs without texts that the server filled in: a password is never shown.
    private static func withoutTexts(_ inputs: JSONValue?) -> JSONValue? {
        guard let entries = inputs?.array, entries.contains(where: { $0["value"]?.string?.isEmpty == false }) else {
            return inputs
        }
        return .array(
            entries.map { entry in
                guard var input = entry.object, input["value"]?.string?.isEmpty == false else { return entry }
                input["value"] = nil
                return .object(input)
            })
    }
}

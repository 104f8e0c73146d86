internal import HTTPCore
package import JSON
package import Orchestrate

/// Facts about questions that the server needs besides showing them.
extension DaVinciPage {
    /// The question that polls the page.
    package struct PollQuestion: Sendable {
        /// The question's id on the page; the action that polls.
        package let id: String
        /// Milliseconds between two polls.
        package let interval: Int64
    }

    /// The poll of the page; nil for a page that is not polled.
    package var pollQuestion: PollQuestion? {
        poll.map { PollQuestion(id: $0.id, interval: $0.mode == .broken ? 0 : $0.interval) }
    }

    /// True if the answers only poll.
    package func polls(_ answers: Answers) -> Bool {
        if case .success(let interaction) = interaction(answers) { interaction.event == .polling } else { false }
    }

    /// True if another page is the same wait: it may have fewer polls left, and differs in nothing else.
    package func waitsOn(at other: DaVinciPage) -> Bool {
        poll != nil && step["id"] == other.step["id"] && asked == other.asked
    }

    /// True if another page looks the same but for the number of polls that are left.
    package func looks(like other: DaVinciPage) -> Bool { heading == other.heading && uncounted == other.uncounted }

    private var uncounted: [JSONObject] {
        zip(collectors, documents).map { collector, document in
            var document = document
            if case .poll = collector.input { document[PollRequest.left] = nil }
            return document
        }
    }

    /// The fields, without what is counted.
    private var asked: [JSONValue] {
        collectors.map { collector in
            guard case .poll = collector.input, var field = collector.field.json.object else {
                return collector.field.json
            }
            field["pollRetries"] = nil
            return .object(field)
        }
    }

    /// A button to another identity provider.
    package struct DepartureQuestion: Sendable {
        /// The question's id on the page.
        package let id: String
        /// The address that the browser goes to, unchanged: it holds secrets of the flow.
        package let address: String

        /// The host of the address, for a log; empty without one.
        package var host: String { WebURL(address)?.authority ?? "" }
    }

    /// The usable buttons to other identity providers; none where the flow could not be resumed afterwards.
    package var departureQuestions: [DepartureQuestion] {
        departures.isEmpty || url(.resume) == nil ? [] : departures
    }

    /// The questions with their ids, as browsers see them; of those that lead to another identity provider the ones that
    /// browsers may leave by are enabled.
    package func documents(leavingBy exits: some Collection<String>) -> [(id: String, JSONObject)] {
        zip(collectors, documents).map { collector, document in
            guard isExit(collector), !exits.contains(collector.id) else { return (collector.id, document) }
            var document = document
            document["enabled"] = false
            return (collector.id, document)
        }
    }

    /// True if a question leads to another identity provider, even where that is not possible now.
    package func isExit(_ id: String) -> Bool { collectors.contains { $0.id == id && isExit($0) } }

    private func isExit(_ collector: Collector) -> Bool {
        if case .button(.departure) = collector.input { true } else { false }
    }

    /// A question for a credential of the browser.
    package struct CredentialQuestion: Sendable {
        /// The question's id on the page.
        package let id: String
        /// The request for the credential.
        package let request: FidoRequest
    }

    /// The ids of the questions for the user's name.
    package var userNameQuestions: [String] {
        collectors.filter { collector in
            guard case .text(let input) = collector.input, !input.isProtect else { return false }
            // Many users sign in with their e-mail address.
            return input.autofill == .username || input.autofill == .email
        }.map(\.id)
    }
}

internal import Basics
internal import JSON
internal import JourneyClient
internal import Orchestrate

extension JourneyFlow {
    /// The wait of a page with a PollingWaitCallback; nil for any other page.
    var pollWait: PageWait? {
        journeyPage.polling.map { .poll(question: $0.id, pace: .milliseconds($0.waitTime)) }
    }

    /// Says in the question of the wait when it may be polled, in milliseconds from now.
    func say(_ wait: Duration, in document: inout JSONObject) {
        guard let polling = journeyPage.polling, var questions = document["callbacks"]?.array,
            let place = questions.firstIndex(where: { $0["id"]?.string == polling.id }),
            var question = questions[place].object
        else { return }
        question["nextPollIn"] = .number(JSONNumber(wait.milliseconds))
        questions[place] = .object(question)
        document["callbacks"] = .array(questions)
    }

    /// Callbacks as AM sent them, but for what the one of the wait says, and for the numbers that AM gives callbacks.
    func waitsOn(at other: any OpenedFlow) -> Bool {
        guard let other = other as? JourneyFlow, other.journeyPage.polling != nil else { return false }
        let (one, next) = (journeyPage, other.journeyPage)
        return one.stage == next.stage && asked(one) == asked(next)
    }

    private func asked(_ page: JourneyPage) -> [JSONValue] {
        page.callbacks.map { callback in
            guard var object = callback.raw.json.object else { return callback.raw.json }
            object["_id"] = nil
            if callback is PollingWaitCallback { object["output"] = nil }
            return .object(object)
        }
    }

    /// Anything that a user can answer, the exit above all; what a program fills in goes back with the poll.
    func leavesWait(_ answers: PageAnswers) -> Bool {
        journeyPage.callbacks.contains { answers.values[$0.id] != nil && !($0 is HiddenValueCallback) }
    }
}

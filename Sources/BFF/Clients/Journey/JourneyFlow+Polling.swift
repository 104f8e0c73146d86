internal import Basics
internal import JSON
internal import JourneyClient
internal import Orchestrate

extension JourneyFlow {
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

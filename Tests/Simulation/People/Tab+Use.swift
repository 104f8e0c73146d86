import HTTPCore
import JSON

extension Tab {
    /// Asks who is signed in.
    func user(_ instance: Instance, isAsked: Bool = false, jar: Jar? = nil, _ numbers: inout SeededNumbers) async {
        _ = await told(instance, isAsked: isAsked, jar: jar, &numbers)
    }

    /// Asks who is signed in, and gives the answer; nil when none came.
    func told(
        _ instance: Instance, isAsked: Bool = false, jar: Jar? = nil, _ numbers: inout SeededNumbers
    ) async -> Response? {
        var request = Request("user", .get, "/bff/\(instance)/user\(isAsked ? "?refresh=true" : "")")
        request.detail = " \(instance)\(isAsked ? " asked" : "")"
        return await ask(request, instance, jar, &numbers)
    }

    /// Has the tokens renewed.
    func refresh(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var request = Request("refresh", .post, "/bff/\(instance)/token/refresh")
        request.detail = " \(instance)"
        await ask(request, instance, nil, &numbers)
    }

    @discardableResult
    private func ask(
        _ request: Request, _ instance: Instance, _ jar: Jar?, _ numbers: inout SeededNumbers
    ) async -> Response? {
        var request = request
        request.instance = instance
        request.jar = jar
        let before = await browser.before(instance, jar ?? browser.jar)
        let (answer, sent) = await browser.send(request, &numbers)
        await browser.judgeDenial(answer.response, instance, sent, before)
        return answer.response
    }

    /// Calls the API that needs a sign-in at a client.
    func callAPI(_ instance: Instance, _ numbers: inout SeededNumbers) async -> Answer {
        let request = apiRequest(instance.isDaVinci ? "work" : "accounts", .get, nil)
        return await browser.send(request, &numbers).0
    }

    /// Calls an API.
    ///
    /// - Returns: What a step-up would have to be for; nil where none is asked for.
    @discardableResult
    func api(_ path: String, _ jar: Jar?, _ numbers: inout SeededNumbers) async -> String? {
        await api(apiRequest(path, numbers.happens(0.8) ? .get : .post, jar), &numbers)
    }

    /// Makes a call as it was put together.
    ///
    /// - Returns: What a step-up would have to be for; nil where none is asked for.
    @discardableResult
    func api(_ request: Request, _ numbers: inout SeededNumbers) async -> String? {
        let instance = request.instance ?? Instance("standard", account)
        let before = await browser.before(instance, request.jar ?? browser.jar)
        let (answer, sent) = await browser.send(request, &numbers)
        if request.instance != nil { await browser.judgeDenial(answer.response, instance, sent, before) }
        guard answer.response?.problem == "step-up-required" else { return nil }
        return answer.response?.json?["stepUp"]?["for"]?.string
    }

    /// A call to an API; `call` tells apart those that are not the same.
    func apiRequest(_ path: String, _ method: HTTPMethod, _ jar: Jar?, call: UInt64? = nil) -> Request {
        // The API of the world looks at the query to know whose token it must be.
        let instance = Instance(["work", "orders"].contains(path) ? "workforce" : "standard", account)
        let users = browser.users(instance).joined(separator: ",")
        var request = Request("api", method, "/api/\(path)?users=\(users)\(call.map { "&call=\($0)" } ?? "")")
        request.detail = " \(method.rawValue) \(path) \(account)"
        request.account = account.isEmpty ? nil : account
        request.instance = path == "public" ? nil : instance
        request.jar = jar
        return request
    }
}

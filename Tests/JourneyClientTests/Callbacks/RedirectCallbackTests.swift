import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import Testing

@Suite("A RedirectCallback")
struct RedirectCallbackTests {
    private static func redirect(_ url: String, _ method: String = #""GET""#, _ data: String? = nil) -> String {
        var outputs = [output("redirectUrl", JSONValue.string(url).text), output("redirectMethod", method)]
        if let data { outputs.append(output("redirectData", data)) }
        return callback("RedirectCallback", outputs.joined(separator: ","), input: nil)
    }

    private func read(_ json: String) throws -> RedirectCallback {
        let page = try JourneyPage(JSONValue(parsing: #"{"authId":"a","callbacks":[\#(json)]}"#))
        return try #require(page.redirect)
    }

    @Test func `shows its method, and never where it leads`() throws {
        for (method, shown) in [(#""GET""#, "GET"), (#""POST""#, "POST"), ("null", "GET"), ("5", "GET")] {
            #expect(
                try JourneyClientTests.shown(Self.redirect("https://a.example.com/?canary", method))
                    == #"{"id":"RedirectCallback-0","type":"RedirectCallback","redirectMethod":"\#(shown)"}"#)
        }
    }

    @Test func `takes no answer`() throws {
        #expect(try faults(Self.redirect("https://a.example.com/"), "x") == [.notAnswerable])
    }

    @Test func `is a link, or a form of its data, or of its query`() throws {
        let link = try read(Self.redirect("https://a.example.com/x?state=s&b=2"))
        #expect(link.fields.isEmpty && link.action == "https://a.example.com/x?state=s&b=2" && link.state == "s")
        let data = try read(
            Self.redirect("https://a.example.com/x?b=2", #""POST""#, #"{"SAMLRequest":"<&>","n":5,"state":"t"}"#))
        #expect(data.fields.map { "\($0.name)=\($0.value)" } == ["SAMLRequest=<&>", "state=t"])
        #expect(data.action == "https://a.example.com/x?b=2" && data.state == "t")
        let query = try read(Self.redirect("https://a.example.com/x?state=s%20t&b=2", #""post""#))
        #expect(query.fields.map { "\($0.name)=\($0.value)" } == ["state=s t", "b=2"])
        #expect(query.action == "https://a.example.com/x" && query.state == "s t")
        #expect(try read(Self.redirect("https://a.example.com/x?state=a&state=b")).state == nil)
    }

    @Test(
        arguments: [
            ("https://am.example.com/x", true), ("https://am.example.com:443/x", true),
            ("https://social.example.com/authorize?state=s", true), ("https://other.example.com:8443/", true),
            ("https://other.example.com/", false), ("https://social.example.com:444/", false),
            ("http://social.example.com/", false), ("https://evil.example.com/", false),
            ("https://social.example.com.evil.example.com/", false), ("//social.example.com/", false),
            ("https:social.example.com/", false), ("https://user@social.example.com/", false),
            ("https://social.example.com@evil.example.com/", false),
            (#"https://social.example.com\@evil.example"#, false),
            ("https://social.example.com/#x", false), ("javascript:alert(1)", false), ("", false), ("/x", false),
            (" https://social.example.com/", false), ("https://social.example.com/\u{A}x", false),
            ("http://127.0.0.1:9/", false), ("data:text/html,x", false),
        ])
    func `leads to AM's own host and to listed ones by https, nowhere else`(url: String, isAllowed: Bool) throws {
        let journey = try Journey.createJourney { config in
            config.serverUrl = "https://am.example.com/am"
            config.links = LinkHosts(["Social.example.com", "other.example.com:8443"])
        }
        #expect(try journey.allows(read(Self.redirect(url))) == isAllowed)
        #expect(try !journey.allows(read(Self.redirect(url + String(repeating: "x", count: 8192)))))
    }

    @Test func `leads to http on this machine where that is said`() throws {
        for isSaid in [false, true] {
            let journey = try Journey.createJourney { config in
                config.serverUrl = "http://127.0.0.1:9/am"
                config.links = LinkHosts(["social.example.com", "social.example.com:8080"], insecureLoopback: isSaid)
            }
            #expect(try !journey.allows(read(Self.redirect("http://social.example.com:8080/"))))
            #expect(try journey.allows(read(Self.redirect("https://social.example.com:8080/"))))
            #expect(try journey.allows(read(Self.redirect("http://127.0.0.1:9/x"))) == isSaid)
            #expect(try !journey.allows(read(Self.redirect("http://social.example.com/"))))
        }
    }
}

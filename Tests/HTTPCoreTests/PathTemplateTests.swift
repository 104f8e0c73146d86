import HTTPCore
import Testing

@Suite("The template of a path, for log lines,")
struct PathTemplateTests {
    @Test(
        "names endpoints and nothing that an id could be",
        arguments: [
            ("/am/json/realms/root/realms/alpha/authenticate", "/am/json/realms/root/realms/{}/authenticate"),
            ("/am/oauth2/access_token", "/am/oauth2/access_token"),
            ("/0aa1/davinci/user/credentials/challenge/abc/status", "/{}/davinci/user/credentials/challenge/{}/status"),
            (
                "/davinci/user/credentials/challenge/waiting-for-demo/status",
                "/davinci/user/credentials/challenge/{}/status"
            ),
            (
                "/0aa1/davinci/connections/c0/capabilities/customHTMLTemplate",
                "/{}/davinci/connections/{}/{}/customHTMLTemplate"
            ),
            ("/x%2Fauthenticate", "/{}"), ("/Authenticate", "/{}"), ("/", "/"),
            ("/am//authenticate/", "/am//authenticate/"),
        ])
    func template(path: String, expected: String) throws {
        let url = try #require(WebURL("https://auth.example.com\(path)?secret=1"))
        #expect(url.pathTemplate == expected)
    }
}

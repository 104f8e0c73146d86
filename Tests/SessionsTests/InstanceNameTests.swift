import Testing

@testable import Sessions

@Suite("The name of an instance")
struct InstanceNameTests {
    @Test(
        "is read one way only",
        arguments: [
            ("standard", "standard", ""), ("standard:alice", "standard", "alice"), ("a:b", "a", "b"), ("-:_", "-", "_"),
        ])
    func instanceNames(text: String, client: String, account: String) throws {
        let name = try #require(InstanceName(text))
        #expect(name.client == client && name.account == account && name.text == text)
    }
}

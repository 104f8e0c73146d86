import Basics
import HTTPCore
import JSON
import JourneyClient
import Testing

@Suite("The advice in the address of AM's login")
struct PolicyAdviceTests {
    private static let login = "https://am.example.com/am/UI/Login?goto=https%3A%2F%2Fapi.example.com%2F"

    private func read(_ xml: String, _ more: String = "&authIndexType=composite_advice") -> PolicyAdvice? {
        var value = QueryParameters()
        value.append("authIndexValue", xml)
        return PolicyAdvice(location: Self.login + more + "&" + value.encoded)
    }

    private static func pair(_ name: String, _ values: String...) -> String {
        let list = values.map { "<Value>\($0)</Value>" }.joined()
        return "<AttributeValuePair><Attribute name=\"\(name)\"/>\(list)</AttributeValuePair>"
    }

    private static let transaction = "<Advices>\(pair("TransactionConditionAdvice", "8d1e-4"))</Advices>"
    private static let expected = PolicyAdvice(name: "TransactionConditionAdvice", value: "8d1e-4")

    @Test func `is read percent-encoded, and as base64url with and without padding`() {
        #expect(read(Self.transaction) == Self.expected)
        let encoded = Base64URL.encode(Array(Self.transaction.utf8))
        for value in [encoded, encoded + "=", encoded + "=="] { #expect(read(value) == Self.expected) }
    }

    @Test(arguments: [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(transaction)\n",
        "<Advices>\n<AttributeValuePair>\r\n\t<Attribute name='TransactionConditionAdvice' ></Attribute>\n"
            + "<Value>8d1e-4</Value>\n</AttributeValuePair>\n</Advices>\n",
    ])
    func `is read as gateways write it`(xml: String) {
        #expect(read(xml) == Self.expected)
    }

    @Test func `may have several demands, several values and the entities of XML`() throws {
        let advice = try #require(
            read("<Advices>\(Self.pair("A", "1", "2&amp;&lt;&gt;&quot;&apos;3"))\(Self.pair("B", ""))</Advices>"))
        #expect(advice == PolicyAdvice(["A": ["1", "2&<>\"'3"], "B": [""]]))
        #expect(advice.xml.contains("<Value>2&amp;&lt;&gt;&quot;&apos;3</Value>"))
    }

    @Test(arguments: [
        "", "x", "<Advices></Advices>", "<Advices/>", "\(transaction)<x/>", "\(transaction)x",
        "<!DOCTYPE Advices [<!ENTITY e \"x\">]>" + transaction, "<!-- -->" + transaction,
        "<Advices>\(pair("A", "&e;"))</Advices>", "<Advices>\(pair("A", "&#65;"))</Advices>",
        "<Advices>\(pair("A", "&amp"))</Advices>", "<Advices>\(pair("A", "<![CDATA[x]]>"))</Advices>",
        "<Advices>\(pair("A", "<b>x</b>"))</Advices>", "<Advices>\(pair("A"))</Advices>",
        "<Advices>\(pair("A", "1"))\(pair("A", "2"))</Advices>", "<Advices>\(pair("A", "1"))",
        "<Advices><AttributeValuePair><Value>1</Value></AttributeValuePair></Advices>",
        "<Advices><AttributeValuePair><Attribute id=\"A\"/><Value>1</Value></AttributeValuePair></Advices>",
        "<Advices>\(pair("A", String(repeating: "x", count: 8192)))</Advices>",
    ])
    func `is none where it is anything else`(xml: String) {
        #expect(read(xml) == nil)
        #expect(read(Base64URL.encode(Array(xml.utf8))) == nil)
    }

    @Test(arguments: [
        "", "&authIndexType=service", "&authIndexType=composite_advice&authIndexType=composite_advice",
        "&authIndexType=composite_advice&authIndexValue=x", "#&authIndexType=composite_advice",
        "&authIndexType=composite_advice&x=%",
    ])
    func `is none in another address`(more: String) {
        #expect(read(Self.transaction, more) == nil)
    }

    @Test func `is none without a query`() {
        for location in ["", "/", "https://am.example.com/am/UI/Login", "?", "\u{0}"] {
            #expect(PolicyAdvice(location: location) == nil)
        }
    }
}

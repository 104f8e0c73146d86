import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A DeviceProfileCallback")
struct DeviceProfileCallbackTests {
    private static func profile(metadata: Bool = true, location: Bool = true) -> String {
        callback(
            "DeviceProfileCallback",
            [
                output("message", #""Collecting""#), output("location", "\(location)"),
                output("metadata", "\(metadata)"),
            ],
            inputs: ["IDToken1"])
    }

    @Test func `shows what is asked for`() throws {
        #expect(
            try shown(Self.profile(metadata: false))
                == #"{"id":"IDToken1","type":"DeviceProfileCallback","message":"Collecting","metadata":false,"location":true,"answer":{"type":"object","properties":{"identifier":{"type":"string","maxLength":8192},"location":{"type":"object","properties":{"latitude":{"type":"number","minimum":-90,"maximum":90},"longitude":{"type":"number","minimum":-180,"maximum":180}},"required":["latitude","longitude"],"additionalProperties":false}},"required":["identifier"],"additionalProperties":false,"hidden":true}}"#
        )
    }

    @Test func `writes a text of JSON with the version that AM knows`() throws {
        let answer = try JSONValue(
            parsing: #"{"location":{"latitude":1.50,"longitude":-180},"identifier":"i","metadata":{"a":[1]}}"#)
        #expect(
            try sent(Self.profile(), answer)
                == #"["{\"identifier\":\"i\",\"version\":\"1.0\",\"metadata\":{\"a\":[1]},\"location\":{\"latitude\":1.50,\"longitude\":-180}}"]"#
        )
        #expect(
            try sent(Self.profile(), ["identifier": "i"]) == #"["{\"identifier\":\"i\",\"version\":\"1.0\"}"]"#)
    }

    @Test(arguments: [
        (#"{}"#, AnswerProblem.Code.required), (#"{"identifier":5}"#, .wrongType),
        (#"{"identifier":"i","metadata":"m"}"#, .wrongType), (#"{"identifier":"i","version":"2"}"#, .wrongType),
        (#"{"identifier":"i","location":{"latitude":1}}"#, .required),
        (#"{"identifier":"i","location":{"latitude":90.1,"longitude":0}}"#, .outOfRange),
        (#"{"identifier":"i","location":{"latitude":0,"longitude":-181}}"#, .outOfRange),
        (#"{"identifier":"i","location":{"latitude":"0","longitude":0}}"#, .wrongType), (#""i""#, .wrongType),
    ])
    func `takes a profile of this form alone`(answer: String, code: AnswerProblem.Code) throws {
        #expect(try faults(Self.profile(), try JSONValue(parsing: answer)) == [code])
    }

    @Test func `takes no part that is not asked for, and no more than 64 KiB`() throws {
        let place: JSONValue = ["latitude": 1, "longitude": 1]
        #expect(try faults(Self.profile(location: false), ["identifier": "i", "location": place]) == [.notOffered])
        #expect(try faults(Self.profile(metadata: false), ["identifier": "i", "metadata": [:]]) == [.notOffered])
        let long: JSONValue = ["a": .string(String(repeating: "x", count: 65_520))]
        #expect(try faults(Self.profile(), ["identifier": "i", "metadata": long]) == [.tooLong])
    }
}

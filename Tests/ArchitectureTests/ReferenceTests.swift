import Foundation
import Testing

/// A reader has the repository and the published standards, nothing else: whatever a comment or a document points to has to
/// be there.
@Suite("What the repository points to")
struct ReferenceTests {
    /// Files with comments, each with its paragraphs.
    private static let files = Result { () throws -> [(path: String, paragraphs: [TextLine])] in
        var files: [(String, [TextLine])] = []
        for folder in ["Sources", "Tests", "benchmarks", "examples", "scripts", ".ci"] {
            let base = Repository.root.appending(path: folder)
            for name in try FileManager.default.subpathsOfDirectory(atPath: base.path).sorted() {
                let path = "\(folder)/\(name)"
                let kind = name.split(separator: "/").last?.split(separator: ".").dropFirst().last
                switch kind {
                case "swift", "h", "c":
                    files.append((path, CommentText.paragraphs(ofSource: try Repository.text(path))))
                case nil, "sh", "py", "yaml", "yml", "conf":
                    guard let text = try? Repository.text(path) else { continue }
                    files.append((path, CommentText.paragraphs(ofScript: text)))
                default: continue
                }
            }
        }
        for path in ["Makefile", "Dockerfile", ".dockerignore", ".gitignore", ".editorconfig"] {
            files.append((path, CommentText.paragraphs(ofScript: try Repository.text(path))))
        }
        files.append(("Package.swift", CommentText.paragraphs(ofSource: try Repository.text("Package.swift"))))
        return files
    }

    @Test func `is a document and a section that exist, where a comment names one`() throws {
        var count = 0
        for file in try Self.files.get() {
            for paragraph in file.paragraphs {
                for reference in DocumentReference.all(in: paragraph.text) {
                    count += 1
                    if let fault = try reference.fault() { Issue.record("\(file.path):\(paragraph.number): \(fault)") }
                }
            }
        }
        #expect(count > 20)
    }

    @Test func `is never a paper of somebody's own`() throws {
        for file in try Self.files.get() {
            let all = file.paragraphs.map(\.text).joined(separator: "\n")
            for paragraph in file.paragraphs {
                if let fault = OutsideReference.fault(in: paragraph.text, of: all) {
                    Issue.record("\(file.path):\(paragraph.number): \(fault)")
                }
            }
        }
    }

    /// What looks for the optional folder beside the checkout, and says so.
    private static let lookers: Set = [
        "Tests/ConformanceTests/FixtureFolder.swift", "Tests/ConformanceTests/Foreign/ForeignFolder.swift",
        "scripts/clients", "scripts/engine.sh", "scripts/live", "scripts/test-web", ".ci/run",
        "Tests/Web/ping.py",
    ]

    @Test func `is beside the checkout only for what looks there`() throws {
        let place = "../" + "shared"
        var found: Set<String> = []
        for (path, _) in try Self.files.get() where try Repository.text(path).contains(place) { found.insert(path) }
        for path in try Repository.documents() where try Repository.text(path).contains(place) { found.insert(path) }
        #expect(found == Self.lookers)
    }

    @Test func `is there for every link of a document`() throws {
        var count = 0
        for document in try Repository.documents() where !document.contains(".docc/") {
            let folder = document.split(separator: "/").dropLast().joined(separator: "/")
            for match in try Repository.text(document).matches(of: /\]\(([^)\s]+)\)/) {
                let parts = match.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                guard let place = parts.first, !match.1.contains("://"), !match.1.hasPrefix("mailto:") else { continue }
                count += 1
                let path =
                    place.isEmpty
                    ? document : URL(filePath: "/\(folder)/\(place)").standardized.path.dropFirst().description
                guard Repository.exists(path) else {
                    Issue.record("\(document) links to \(match.1)")
                    continue
                }
                guard parts.count == 2, path.hasSuffix(".md") else { continue }
                let anchors = DocumentReference.headings(try Repository.text(path)).map(DocumentReference.anchor)
                #expect(anchors.contains(String(parts[1])), "\(document) links to \(match.1)")
            }
        }
        #expect(count > 50)
    }

    @Test(arguments: [
        ("/// See docs/protocol.md, 'Sessions'.", true), ("/// See docs/protocol.md, 'No such'.", false),
        ("/// See (docs/protocol.md,\n/// 'Policy advice').", true),
        ("/// See (docs/protocol.md,\n/// 'Policy').", false),
        ("// As in sessions.md 4.", false), ("/* design/api.md */", false), ("let a = \"sessions.md\"", true),
        ("/// The `README.md` says so.", true),
    ])
    func `is looked up`(source: String, isThere: Bool) throws {
        let references = CommentText.paragraphs(ofSource: source).flatMap { DocumentReference.all(in: $0.text) }
        #expect(try references.allSatisfy { try $0.fault() == nil } == isThere)
    }

    @Test(arguments: [
        ("/// As DESIGN 4 says.", false), ("/// By clause 5.", false), ("// decision 4", false),
        ("/// As §3 says.", false),
        ("/// See protocol/engine, order.", false), ("/// As section 5.4 asks.", false),
        ("/// As section 5.4 asks.\n\n/// RFC 6265.", true),
        ("/// A design of our own, and a decision.", true), ("let a = \"DESIGN 4\"", true),
    ])
    func `is read with care`(source: String, isGood: Bool) {
        let paragraphs = CommentText.paragraphs(ofSource: source)
        let all = paragraphs.map(\.text).joined(separator: "\n")
        #expect(paragraphs.allSatisfy { OutsideReference.fault(in: $0.text, of: all) == nil } == isGood)
    }
}
